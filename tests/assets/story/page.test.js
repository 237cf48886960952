// The story of a run is offered beside the replay, and told where a round has one to tell.

import assert from "node:assert/strict";
import { test } from "node:test";
import { click, count, one, press, text } from "../dom.js";
import { races } from "../watch/page.js";

const RECORDED = ["tree", "block", "lookup", "all-accepted", "creative", "vllm"];
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
    assert.match(text(".sv-story-said"), /^The same (model wrote both|words)/);
  });
}
