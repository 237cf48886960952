// A person steps through a round: draft, verify, decide, emit; and sees what the caches hold meanwhile.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, button, click, count, focused, one, pass, press, text } from "../dom.js";
import { at, block, lane, races, roundsOf, seek, speed, tokens } from "./page.js";

const page = races({
  "K = 4": { K: 4 },
  "K = 3": { length: 40 },
  greedy: { K: 3, temperature: 0 },
  "no drafts": { K: 0, length: 6 },
  "four tokens": { length: 4, K: 2 },
  lookup: { drafter: "lookup" },
  "one unread": { edge: "one unread" },
  "round behind": { edge: "round behind" },
});
const line = () => text(".sv-at");
const phase = () => text(".sv-phase[aria-pressed=true]");
const box = () => one(".sv-inspector");
const near = (a, b, by = 2e-3) => assert.ok(Math.abs(a - b) <= by, `${a} is not ${b}`);
const parted = ({ drafted }) => drafted[0]?.verdict === "accepted" && drafted[1]?.verdict === "rejected";

/** Stands at the beginning, with the keys on the player. */
function begin(run) {
  const picture = page.show(run);
  one(".sv-play").focus();
  press("Home");
  return roundsOf(picture);
}

test("a round is drafted, lit at once, decided from left to right and corrected", () => {
  const round = roundsOf(page.show("K = 4")).find(parted);
  const spans = block(round.index);
  const own = round.shown.filter((one) => one.drafted !== null && one.role !== "unexamined");
  const [starts, ends] = [own.map((one) => one.at), own.map((one) => one.decided)];
  const looks = () => spans.map(({ dataset }) => dataset.role + (dataset.phase ? `/${dataset.phase}` : ""));
  const lit = (n) => Array(n).fill("drafted/verify");
  for (const [t, wanted] of [
    [(starts[0] + starts[1]) / 2, ["drafted", "", "", "", ""]],
    [round.drafted_at - 1e-3, ["drafted", "drafted", "drafted", "drafted", ""]],
    [(round.drafted_at + round.verified_at) / 2, [...lit(4), ""]],
    [(ends[0] + ends[1]) / 2, ["accepted", ...lit(3), ""]],
    [(ends[1] + round.decided_at) / 2, ["accepted", "rejected", "unexamined", "unexamined", ""]],
    [round.end, ["accepted", "rejected", "unexamined", "unexamined", "corrected"]],
  ]) {
    seek(t);
    assert.deepEqual(looks(), wanted);
  }
});

test("the keys go from step to step, and a line says where the replay stands", () => {
  const [first] = begin("K = 4");
  assert.equal(line(), "round 1 · draft: 0 of 4 tokens drafted");
  const examined = first.drafted.filter(({ verdict }) => verdict !== "unexamined");
  const lines = ["Shift+ArrowRight", ".", ...examined.map(() => "Shift+ArrowRight"), ".", "."].map((key) => {
    press(key);
    return line();
  });
  assert.equal(lines[0], "round 1 · draft: 4 of 4 tokens drafted");
  assert.equal(lines[1], "round 1 · verify: one target pass checks 4 tokens");
  examined.forEach(({ verdict }, i) => {
    assert.ok(lines[i + 2].startsWith("round 1 · decide: ") && lines[i + 2].endsWith(`is ${verdict}`), lines[i + 2]);
  });
  const out =
    /^round 1 · emit: (all 4 accepted and a bonus: the text grows by 5|\d accepted and a correction: the text grows by \d)$/;
  assert.match(lines.at(-2), out);
  assert.equal(lines.at(-1), "round 2 · draft: 4 of 4 tokens drafted");
  press("Shift+ArrowLeft");
  assert.equal(line(), lines.at(-2));
  press(",");
  assert.equal(line(), lines.at(-3));
  assert.equal(phase(), "decide");
});

test("the buttons step rounds and phases, and jump to a phase of the round", () => {
  const third = begin("K = 4")[2];
  for (let i = 0; i < 3; i++) click(button("one round on"));
  near(at(), third.end, 1e-3);
  assert.match(text(".sv-step-name"), /round 3 of/);
  click(button("verify"));
  assert.equal(line(), "round 3 · verify: one target pass checks 4 tokens");
  near(at(), third.verified_at, 1e-3);
  click(button("one step on"));
  assert.equal(phase(), "decide");
  for (let i = 0; i < 2; i++) click(button("one step back"));
  assert.equal(phase(), "draft");
  click(button("one round back"));
  assert.match(text(".sv-step-name"), /round 2 of/);
});

test("Shift and arrows step also while a token has the focus", () => {
  page.show("K = 4");
  click(tokens("accepted")[0]);
  const before = line();
  press("Shift+ArrowLeft");
  assert.notEqual(line(), before);
  assert.ok(focused(tokens("accepted")[0]));
});

test("step by step, play and the arrows stop at the same steps, and each holds equally long", () => {
  const [first] = roundsOf(page.show("K = 4"));
  speed("step by step");
  assert.equal(text(".sv-takes"), "not to scale: 1.2 s for each step");
  const verdicts = first.shown.filter(({ role }) => role === "accepted" || role === "rejected").map(({ decided }) => decided);
  const ghosts = first.shown.filter(({ drafted }) => drafted !== null).map((one) => one.at);
  const steps = [Math.max(...ghosts), first.verified_at, ...verdicts, first.end];
  press("Home", document.body);
  const moments = steps.map((step) => {
    press("ArrowRight", document.body);
    near(at(), step);
    return line();
  });
  press("Home", document.body);
  press(" ", document.body);
  assert.equal(text(".sv-play"), "Pause");
  steps.forEach((step, i) => {
    for (const interval of [500, 700]) {
      pass(interval); // the step is there after the first of them, and still after the second
      near(at(), step);
      assert.equal(line(), moments[i]);
    }
  });
  press(" ", document.body);
  assert.equal(text(".sv-play"), "Play");
});

test("the inspector follows the steps and tells of no more than has happened", () => {
  const round = roundsOf(page.show("K = 4")).find(parted);
  const step = () => press(".", document.body);
  const role = () => text(one(".sv-role", box()));
  const none = (selector) => assert.equal(count(selector, box()), 0, selector);
  speed("step by step");
  seek(round.start + 1e-3);

  step(); // drafted: q alone
  assert.ok(text(box()).includes(`round ${round.index + 1}, draft token 4 of 4`));
  assert.equal(role(), "◌ drafted");
  assert.equal(count(".sv-node[data-look=drafted]"), 4);
  assert.match(text(".sv-node[data-at='2'] .sv-node-pq"), /^q /);
  none(".sv-bars, .sv-u, .sv-beta, .sv-round-facts");
  step(); // checked: p too, and no u
  assert.match(text(box()), /draft token 1 of 4/);
  assert.equal(text(one(".sv-u-mark", box())), "u is not drawn yet");
  one("[data-series=p].sv-fill", box());
  step();
  assert.equal(role(), "✓ accepted");
  step(); // decided: u and the verdict, nothing in its place yet
  assert.equal(role(), "✗ rejected");
  assert.equal(text(one(".sv-u-mark", box())), `u = ${round.drafted[1].u.toFixed(3)}`);
  assert.doesNotMatch(text(box()), /is the correction/);
  none(".sv-landed, .sv-round-facts");
  step(); // out: what replaces it, from the residual
  assert.equal(role(), "↻ correction");
  one(".sv-landed", box());
  assert.match(line(), /and a correction/);
  assert.match(text(one(".sv-round-facts", box())), /after the rollback/);
});

test("a token that was chosen is not shown before it is there", () => {
  page.show("K = 4");
  click(tokens("rejected").at(-1));
  press("Home", document.body);
  assert.match(text(box()), /does not exist yet/);
  assert.equal(count(".sv-bars", box()), 0);
  press("End", document.body);
  assert.equal(text(one(".sv-role", box())), "✗ rejected");
});

test("a replay that goes step by step stops for whoever chooses a token, since the next step would choose another", () => {
  page.show("K = 4", { still: false });
  speed("step by step");
  press("Home", document.body);
  press(" ", document.body);
  assert.equal(text(".sv-play"), "Pause");
  pass(500, 20);
  click(tokens("accepted")[0]);
  assert.equal(text(".sv-play"), "Play");
  assert.match(text(one(".sv-sentence", box())), /is accepted/);
  assert.equal(tokens("accepted")[0].getAttribute("aria-pressed"), "true");
});

test("step by step plays from the beginning to the end of both lanes", () => {
  page.show("four tokens");
  speed("step by step"); // chosen at the end, it begins at the beginning
  assert.equal(line(), "round 1 · draft: 0 of 2 tokens drafted");
  press(" ", document.body);
  pass(1200, 20); // more than there are steps
  for (const name of ["vanilla", "speculative"]) assert.equal(text(one(".sv-done", lane(name))), "ended: length limit");
  assert.equal(text(".sv-play"), "Play");
});

test("whoever chooses a speed by hand goes on with the arrows of the player, by keys with its own", () => {
  page.show("K = 4");
  one(".sv-speed").dispatchEvent(new Event("pointerdown", { bubbles: true }));
  speed("step by step");
  assert.ok(focused(one(".sv-play")));
  press("Home");
  for (let i = 0; i < 2; i++) {
    const before = at();
    press("ArrowRight");
    assert.ok(at() > before);
  }
  assert.equal(one(".sv-speed").value, "step");
  one(".sv-speed").focus();
  const before = at();
  press("ArrowLeft");
  assert.equal(at(), before);
  assert.ok(focused(one(".sv-speed")));
});

test("a greedy round is not said to draw a u", () => {
  begin("greedy");
  assert.match(line(), /round 1 · draft/);
  for (let i = 0; i < 3; i++) press(".");
  assert.match(line(), /the target's/);
  assert.doesNotMatch(line(), /u =/);
});

test("without drafts a round has a pass and a token and no more", () => {
  begin("no drafts");
  press(".");
  assert.equal(line(), "round 1 · verify: nothing drafted, one token per pass");
  assert.equal(one(".sv-phase[data-series=draft]").getAttribute("aria-disabled"), "true");
  press(".");
  assert.equal(line(), "round 1 · emit: the text grows by one token");
});

/** What a row of the caches says, and how many cells of each kind it has. */
function cells(model) {
  const row = one(`.sv-cache-row[data-model=${model}]`);
  const states = all(".sv-cell", row).map(({ dataset }) => dataset.state);
  const number = (state) => states.filter((each) => each === state).length;
  const counts = Object.fromEntries([...new Set(states)].filter(Boolean).map((state) => [state, number(state)]));
  return { text: text(one(".sv-cache-counts", row)), counts };
}
const title = () => text(".sv-round > summary h4");
const note = () => text(".sv-cache > p");

test("the caches grow and roll back phase by phase", () => {
  const round = roundsOf(page.show("K = 4")).find(({ drafted }) => drafted[1].verdict === "rejected");
  const { before, peak, after } = round.target_cache;
  const cellsBefore = Math.min(before, 20 - 5);
  seek(round.drafted_at - 1e-3);
  assert.equal(cells("target").text, `${before}`);
  assert.deepEqual(cells("draft"), { text: `${before} → ${peak}`, counts: { held: cellsBefore, appended: 5 } });
  seek(round.verified_at);
  assert.deepEqual(cells("target"), { text: `${before} → ${peak}`, counts: { held: cellsBefore, appended: 5 } });
  assert.equal(note(), "The pass appended 5 positions: the last token of the text, then the block.");
  seek(round.end);
  const removed = peak - after;
  const wanted = {
    text: `${before} → ${peak} → ${after}`,
    counts: { held: cellsBefore, appended: 5 - removed, rolled: removed },
  };
  assert.deepEqual(cells("target"), wanted);
  assert.ok(note().includes(`${removed} position`));
  assert.ok(title().includes(`Round ${round.index + 1}:`));
});

test("the last token that the draft never read is drawn and explained", () => {
  const rounds = roundsOf(page.show("one unread"));
  const whole = rounds.find(({ emitted }) => emitted.length === 4);
  click(block(whole.index)[0]); // the round of the chosen token
  assert.ok(title().includes(`Round ${whole.index + 1}:`));
  assert.equal(cells("draft").counts.missing, 1);
  assert.equal(cells("target").counts.missing, undefined);
  assert.match(note(), /The draft lacks the last accepted token/);
  const last = rounds.at(-1); // one token is left: nothing is drafted, so what the draft lacks it never proposed
  assert.equal(last.drafted.length, 0);
  click(block(last.index)[0]);
  assert.ok(title().includes(`Round ${last.index + 1}:`));
  assert.match(note(), /it drafted nothing here/);
  assert.doesNotMatch(note(), /proposed/);
});

test("a long cache shows its end and how many more there are, and a drafter without a cache has no row", () => {
  page.show("K = 4");
  assert.equal(count(".sv-cache-row[data-model=target] .sv-cell"), 20);
  const more = Number(/(\d+) more/.exec(text(".sv-cache-more"))[1]);
  assert.equal(more + 20, Math.max(...cells("target").text.split(" → ").map(Number)));
  page.show("lookup");
  assert.ok(!one(".sv-cache-row[data-model=target]").hidden);
  assert.ok(one(".sv-cache-row[data-model=draft]").hidden);
});

test("of a head that forgets what it made of its own features is said what it lacks", () => {
  const whole = roundsOf(page.show("round behind")).find(({ emitted }) => emitted.at(-1).role === "bonus");
  click(block(whole.index)[0]);
  assert.ok(title().includes(`Round ${whole.index + 1}:`));
  assert.match(note(), /the whole block was accepted\. The draft rolls back .* The draft's cache lacks .*: 4 tokens\./);
});
