// The story of a run is offered beside the replay, and told where a round has one to tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, button, click, count, one, pass, press, text, texts } from "../dom.js";
import { races } from "../watch/page.js";

const RECORDED = ["opening", "tree", "block", "lookup", "all-accepted", "creative", "vllm"];
const page = races({
  drafted: { K: 4 },
  "no drafts": { K: 0 },
  "not exact": { K: 4, verifier: "typical" },
  ...Object.fromEntries(RECORDED.map((recorded) => [recorded, { recorded }])),
});

test("a run without drafts and a run that is not exact have no story", () => {
  page.show("drafted");
  assert.equal(count(".sv-again"), 1);
  for (const run of ["no drafts", "not exact"]) {
    page.arrive(run);
    assert.equal(count(".sv-again"), 0, run);
  }
});

for (const recorded of RECORDED) {
  test(`every recorded run can be told: ${recorded}`, () => {
    page.show(recorded);
    click(one(".sv-again"));
    press("ArrowRight", document.body);
    one(".sv-story-line .sv-token:not([data-final=prompt])");
    press("ArrowRight", document.body);
    assert.match(text(".sv-story-said"), /^The same (target wrote both|words)/);
  });
}

const sentence = () => text(".sv-story-said");
/** The first sentence of a run that a small model drafted. */
const first = () => page.words.story_first.replace("{ahead}", page.words.ahead_model);

test("the story calls a head a head, and both models by the words of the page", () => {
  page.show("block");
  click(one(".sv-again"));
  assert.deepEqual(texts(".sv-story-model"), ["draft (head)", "target (large model)"]);
  assert.match(sentence(), /^The draft, a head with/);
});

test("the story moves by itself to its end in fifteen to twenty-five seconds", () => {
  const { comparison } = page.show("opening", { still: false });
  click(one(".sv-again"));
  assert.equal(sentence(), first());
  let seconds = 0;
  while (!count(".sv-story[data-over]") && seconds < 60) {
    pass(50);
    seconds += 0.05;
  }
  assert.ok(seconds >= 15 && seconds <= 25, String(seconds));
  assert.ok(sentence().includes(comparison.speedup.toFixed(1)));
  button("Show me again");
});

test("who wants no motion steps through three still pictures", () => {
  const { comparison } = page.show("opening");
  click(one(".sv-again"));
  assert.equal(sentence(), first());
  assert.deepEqual(texts(".sv-story-bar > button"), ["Try your own words", "‹", "›"]);
  click(button("On"));
  assert.equal(sentence(), page.words.story_round);
  assert.equal(text(".sv-story-line .sv-token[data-role=corrected]"), "his");
  press("ArrowRight", document.body);
  assert.ok(sentence().includes(comparison.speedup.toFixed(1)));
  const roles = (within) => all(`${within} .sv-token`).map(({ dataset }) => dataset.role);
  const known = [...roles(".sv-story-keys"), "prompt", "rejected", "unexamined"]; // the last two are struck and gone
  const others = roles(".sv-story [data-lane=speculative] .sv-text").filter((role) => !known.includes(role));
  assert.deepEqual(others, [], "each colour has its key");
  for (let i = 0; i < 2; i++) press("ArrowLeft", document.body);
  assert.equal(sentence(), first());
});
