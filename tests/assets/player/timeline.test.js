// The timeline, and what lies over it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, one, texts } from "../dom.js";
import { at, BROKEN, block, races, roundsOf, seek } from "./page.js";

const page = races({ "K = 4": { K: 4 }, other: { seed: 5 }, stopped: { edge: "stopped in prefill" } });
const { makeTimeline } = await import("../../../assets/player/race.js");
const { savedTimeline } = await import("../../../assets/keep/late.js");

const share = (percent) => Number.parseFloat(percent) / 100;
const near = (actual, wanted) => assert.ok(Math.abs(actual - wanted) < 1e-6, `${actual} is not ${wanted}`);

test("over the timeline lie the key, the hand of the replay and the band of the chosen round", () => {
  const picture = page.show("K = 4");
  assert.deepEqual(texts("#timeline .sv-key"), ["draft", "target pass", "decide and the rest"]);
  const longest = Math.max(picture.lanes.vanilla.duration, picture.lanes.speculative.duration);
  seek(longest / 4);
  near(share(one(".sv-hand").style.left), at() / longest);
  click(block(1)[0]);
  const [band, round] = [one(".sv-band"), roundsOf(picture)[1]];
  near(share(band.style.left), round.start / longest);
  near(share(band.style.width), (round.end - round.start) / longest);
  assert.deepEqual([band.style.top, band.style.height, band.hidden], ["50%", "50%", false]);
});

test("the timeline of another run takes its place, and says what took how long", () => {
  page.show("K = 4");
  const label = one("#timeline svg").getAttribute("aria-label");
  const { lanes } = page.arrive("other");
  assert.deepEqual([all("#timeline svg").length, all(".sv-hand").length], [1, 1]);
  const now = one("#timeline svg").getAttribute("aria-label");
  const draft = lanes.speculative.rounds.reduce((sum, r) => sum + r.drafted_at - r.start, 0);
  assert.notEqual(now, label);
  assert.match(now, new RegExp(`Without a draft: draft 0 ms.*With a draft: draft ${draft.toFixed(1)} ms`));
});

test("pointing at a bar marks the tokens of its round, and a click chooses the one that decided it", () => {
  const { index, end } = roundsOf(page.show("K = 4")).find(({ residual }) => residual);
  const bar = one(`#timeline [data-lane=speculative][data-round='${index}']`);
  bar.dispatchEvent(new Event("pointerover", { bubbles: true }));
  assert.ok(block(index).every((token) => "linked" in token.dataset));
  one(".sv-key").dispatchEvent(new Event("pointerover", { bubbles: true }));
  assert.ok(!block(index).some((token) => "linked" in token.dataset));
  seek(end); // before the end of the run, where what was struck is out of sight
  bar.dispatchEvent(new Event("click", { bubbles: true }));
  const chosen = block(index).find((token) => token.getAttribute("aria-pressed") === "true");
  assert.equal(chosen.dataset.role, "rejected");
});

test("it has a bar for each part of each round, to scale, and is read out", () => {
  const { lanes } = page.show("K = 4");
  const bars = (name, part) => all(`#timeline [data-lane=${name}][data-series=${part}]`);
  assert.deepEqual(
    ["vanilla", "speculative"].map((name) => [bars(name, "draft").length, bars(name, "verify").length]),
    [
      [0, lanes.vanilla.rounds.length],
      [lanes.speculative.rounds.filter((r) => r.drafted_at > r.start).length, lanes.speculative.rounds.length],
    ],
  );
  const [first, last] = [bars("speculative", "verify")[0], bars("vanilla", "verify").at(-1)];
  const width = (bar) => Number(bar.getAttribute("width"));
  const took = (r) => r.verified_at - r.drafted_at;
  near(width(first) / width(last), took(lanes.speculative.rounds[0]) / took(lanes.vanilla.rounds.at(-1)));
  assert.match(one("#timeline svg").getAttribute("aria-label"), /^What each round spent .*With a draft: draft \d.* ms\.$/);
});

test("a lane that does not exist has no row, and a saved timeline its key and its settings", () => {
  const { lanes } = page.show("K = 4");
  const alone = makeTimeline(one("#race"), { hover() {}, leave() {}, choose() {} });
  alone.draw({ ...lanes, vanilla: null });
  alone.mark({ lane: "speculative", index: 0, pointed: true, round: lanes.speculative.rounds[0] });
  assert.deepEqual([one(".sv-band").style.top, one(".sv-band").style.height], ["0%", "100%"]);
  const labels = texts("text", savedTimeline(lanes, "drafter <b>small</b> · K = 4"));
  for (const word of ["drafter <b>small</b> · K = 4", "target pass", "Without a draft", "With a draft"])
    assert.ok(labels.includes(word));
});

test("a run that was stopped while its prompt was read has a sentence and no axis, on the page and in a file", () => {
  const { lanes } = page.show("stopped");
  for (const root of [one("#timeline"), savedTimeline(lanes, "")]) {
    assert.ok(texts("text", root).includes(page.words.timeline_none));
    assert.deepEqual(all(".sv-chart-grid", root), []);
  }
  assert.deepEqual(all(".sv-hand, .sv-band, .sv-bars"), []);
  assert.doesNotMatch(document.body.textContent, BROKEN);
});

test("every pass of a saved timeline ends at a line of the rest, however little time that took", () => {
  const { lanes } = page.show("K = 4");
  const lane = { ...lanes.vanilla, rounds: lanes.vanilla.rounds.map((r) => ({ ...r, verified_at: r.end - 1e-3 })) };
  const drawn = all(".sv-chart-area[data-lane=vanilla]", savedTimeline({ ...lanes, vanilla: lane }, ""));
  const [passes, ends] = ["verify", "rest"].map((part) => drawn.filter(({ dataset }) => dataset.series === part));
  assert.deepEqual([passes.length, ends.length], [lane.rounds.length, lane.rounds.length]);
  for (const end of ends) assert.ok(Number(end.getAttribute("width")) >= 1);
  assert.ok(drawn.indexOf(ends[0]) > drawn.indexOf(passes.at(-1))); // what is drawn later hides what was drawn before
});
