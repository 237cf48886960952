// A person follows one round in its picture: as it grows, is lit, is decided, and what the caches keep of it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, button, click, count, focused, one, press, text } from "../dom.js";
import { mapped } from "../mapped.js";
import { block, races, roundsOf, seek, tokens } from "./page.js";

const page = races({
  tree: { tree: "3-2-1-1", K: 4, seed: 31 },
  chain: { K: 4, length: 60 },
  block: { recorded: "block" },
});
const node = (at) => one(`.sv-node[data-at='${at}']`);
const box = () => one(".sv-inspector");
const title = () => text(".sv-round > summary h4");

/** Of the drafted tokens, in their order. */
const looks = () =>
  all(".sv-node")
    .map(({ dataset }) => ({ at: Number(dataset.at), look: dataset.look }))
    .filter(({ at }) => at > 0)
    .sort((a, b) => a.at - b.at)
    .map(({ look }) => look);

/** A round in which a sibling is rejected before another one stays, and what is below that is rejected too. */
function walkedRound() {
  const match = roundsOf(page.show("tree")).find(
    ({ drafted, emitted }) =>
      drafted.some(({ verdict }) => verdict === "accepted") &&
      drafted.find(({ depth }) => depth === 1).verdict === "rejected" &&
      emitted.at(-1).role === "corrected",
  );
  assert.ok(match);
  return match;
}

test("a tree grows, is lit at once, and is decided along its walk", () => {
  const round = walkedRound();
  const { drafted, drafted_at, verified_at, end } = round;
  const levels = [...new Set(drafted.map((token) => token.at))].sort((a, b) => a - b);
  const lit = drafted.map(() => "lit");
  seek((levels[0] + levels[1]) / 2);
  mapped(drafted, ({ depth }) => (depth === 1 ? "drafted" : ""), looks());
  seek((drafted_at + verified_at) / 2);
  assert.deepEqual(looks(), lit);
  assert.equal(node(0).dataset.look, "lit");
  seek(Math.min(...drafted.map(({ decided }) => decided)) + 1e-3);
  assert.deepEqual(looks(), ["rejected", ...lit.slice(1)]);
  seek(end);
  mapped(drafted, ({ verdict }) => verdict, looks());
  assert.equal(node(-1).dataset.look, "corrected");
  assert.match(text(node(-1)), /residual/);
  seek((drafted_at + verified_at) / 2);
  assert.deepEqual(looks(), lit, "the same on the way back");
});

test("a token that never stood in the text is chosen in the picture", () => {
  const { index, drafted, end } = walkedRound();
  seek(end);
  click(node(1));
  assert.equal(node(1).getAttribute("aria-selected"), "true");
  assert.ok(text(box()).includes(`round ${index + 1}, draft token 1 of ${drafted.length}`));
  one(".sv-u", box());
  click(node(-1));
  assert.match(text(box()), /correction/);
});

test("whoever steps meets every verdict, also of siblings that are not in the text", () => {
  seek(walkedRound().verified_at);
  press(".", one(".sv-play"));
  const selected = one(".sv-node[aria-selected=true]");
  assert.deepEqual([selected.dataset.at, selected.dataset.look], ["1", "rejected"]);
  assert.match(text(".sv-at"), /rejected/);
});

test("keys lead through the outline and say whom a token sees", () => {
  seek(walkedRound().end);
  const here = () => document.activeElement;
  node(0).focus();
  press("ArrowRight");
  assert.ok(focused(node(1)));
  press("ArrowRight");
  assert.equal(here().getAttribute("aria-level"), "3");
  const visible = all(".sv-node[data-seen]")
    .map(({ dataset }) => Number(dataset.at))
    .sort((a, b) => a - b);
  assert.deepEqual([visible.length, ...visible.slice(0, 2)], [3, 0, 1]);
  assert.match(text(".sv-mask .sv-note"), /sees the text,/);
  press("Enter");
  assert.equal(one(".sv-node[aria-selected=true]").getAttribute("aria-level"), "3");
  press("ArrowLeft");
  assert.ok(focused(node(1)));
  const before = one(".sv-scrub").value;
  press("End");
  assert.equal(one(".sv-scrub").value, before, "the player stands");
});

test("space opens a fold and chooses a token, and the replay stands", () => {
  seek(walkedRound().end);
  for (const fold of [".sv-round", ".sv-mask", ".sv-timed"]) {
    if (fold === ".sv-timed") seek(1e9); // said at the end
    const was = one(fold).open;
    press(" ", one(`${fold} > summary`));
    assert.notEqual(one(fold).open, was, fold);
    press(" ", one(`${fold} > summary`));
  }
  for (const [token, attribute] of [
    [() => tokens("accepted")[0], "aria-pressed"],
    [() => node(2), "aria-selected"],
  ]) {
    token().focus();
    press(" ");
    assert.equal(token().getAttribute(attribute), "true");
  }
  assert.equal(text(".sv-play"), "Play");
});

test("what has the focus keeps it in the next round, and a fold stays as it was left", () => {
  seek(walkedRound().end);
  for (const place of [".sv-node[data-at='1']", ".sv-mask-box", ".sv-mask > summary"]) {
    const was = title();
    one(place).focus();
    press(".");
    assert.notEqual(title(), was);
    assert.ok(focused(one(place)), place);
    press(",");
  }
  node(-1).focus();
  press("."); // nothing has come out of that round: the tree keeps the focus
  assert.ok(focused(node(0)));
  const open = one(".sv-mask").open;
  press("Enter", one(".sv-mask > summary"));
  press(",");
  assert.equal(one(".sv-mask").open, !open);
});

test("u falls on p/q, and no verdict is told before", () => {
  const { drafted, drafted_at, verified_at } = walkedRound();
  const gauge = () => one(".sv-node-gauge", node(1));
  const between = (verified_at + drafted[0].decided) / 2;
  for (const [t, on] of [
    [drafted_at - 1e-3, ""],
    [verified_at, "limit"],
    [between, "u"],
  ]) {
    seek(t);
    assert.equal(gauge().dataset.on, on);
  }
  const fall = Number(gauge().style.getPropertyValue("--fall"));
  assert.ok(0.4 < fall && fall < 0.6);
  click(button("Predict"));
  seek(between);
  assert.equal(gauge().dataset.on, "limit");
  const states = new Set(all(".sv-node-gauge").map(({ dataset }) => dataset.on));
  assert.equal(states.size, 1, "who will be tested is not told either");
});

test("the target's cache gathers the rows of the kept path", () => {
  const { drafted, verified_at, end } = walkedRound();
  const appended = () => all(".sv-cache-row[data-model=target] .sv-cell[data-state=appended]");
  seek(verified_at);
  assert.equal(appended().length, drafted.length + 1);
  seek(end);
  const path = [0, ...drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [i + 1] : []))];
  const shifts = appended().map(({ style }) => Number(style.getPropertyValue("--shift")));
  mapped(path, (at, place) => place - at, shifts);
  assert.ok(text(".sv-cache > p").includes(`The cache keeps the ${path.length} positions of the accepted path`));
});

test("a chain is the same picture, and a token of the text opens its round", () => {
  const round = roundsOf(page.show("chain")).find(
    ({ drafted, emitted }) => drafted.length === 4 && emitted.at(-1).role === "corrected",
  );
  seek(round.end);
  mapped(round.drafted, ({ verdict }) => verdict, looks());
  seek(1e9);
  click(tokens("bonus")[0]);
  assert.equal(node(-1).dataset.look, "bonus");
  assert.equal(count(".sv-node[aria-selected=true]"), 1);
  click(block(0)[0]);
  assert.match(title(), /Round 1:/);
});

test("a block of one draft pass is there at once, and the title says so", () => {
  const { index, start, drafted_at, drafted } = roundsOf(page.show("block")).find(({ drafted }) => drafted.length > 3);
  const half = (start + drafted_at) / 2;
  for (const [t, look] of [
    [half - 1e-3, ""],
    [half + 1e-3, "drafted"],
  ]) {
    seek(t);
    mapped(drafted, () => look, looks());
  }
  assert.equal(title(), `Round ${index + 1}: ${drafted.length} guesses from one draft pass, then one target pass`);
});
