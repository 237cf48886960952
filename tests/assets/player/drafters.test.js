// A run says how its tokens were drafted.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, one, text } from "../dom.js";
import { mapped } from "../mapped.js";
import { BROKEN, block, lane, races, roles, tokens } from "./page.js";

const DRAFTERS = {
  small: ["story-draft drafts 3 tokens, one pass checks all", "draft story-draft (0.9 M)"],
  lookup: ["up to 3 tokens copied from the text", "drafts copied from the text, no model"],
  bigram: ["a bigram table drafts 3 tokens", "bigram table story-bigram (12,345 counts), no model"],
  "early-exit": ["the first 2 of 8 layers draft 3 tokens", "target story-target (8.4 M), whose first 2 of 8 layers draft"],
  mtp: ["heads on the target draft 3 tokens", "heads story-mtp (1.2 M more)"],
  eagle: ["a head on the target (EAGLE) drafts 3 tokens", "EAGLE head story-eagle (1.5 M more)"],
  block: ["a block head on the target drafts 3 tokens in one pass", "block head story-block (1.6 M more)"],
  oracle: ["the target itself drafts 3 tokens", "target story-target (8.4 M), which drafts too"],
  random: ["3 tokens drawn at random", "drafts drawn at random, no model"],
};
const page = races({
  ...Object.fromEntries(Object.keys(DRAFTERS).map((drafter) => [drafter, { drafter, length: 32 }])),
  one: { K: 1, length: 20 },
  none: { K: 0, length: 20 },
  "short blocks": { K: 4, drafter: "lookup" },
  "greedy short blocks": { length: 40, drafter: "lookup", temperature: 0 },
});
const note = () => text(one("header .sv-note", lane()));
const sentence = () => text(".sv-inspector .sv-sentence");

for (const [drafter, [says, facts]] of Object.entries(DRAFTERS)) {
  test(`the words are of the drafter that ran: ${drafter}`, () => {
    page.show(drafter);
    assert.ok(note().includes(says), note());
    const numbers = text(".sv-numbers");
    assert.ok(numbers.includes(facts), numbers);
    assert.doesNotMatch(numbers, /\(0\.0 M\)/);
    assert.match(numbers, /It takes as long as/);
    assert.doesNotMatch(numbers, BROKEN);
    const passless = ["lookup", "bigram", "random"].includes(drafter);
    assert.equal(numbers.includes("draft passes"), !passless);
    click(tokens("corrected")[0]);
    const caches = text(".sv-round-facts");
    assert.match(caches, /Target cache:/);
    assert.equal(caches.includes("Draft cache"), !passless && drafter !== "early-exit");
  });
}

test("one token a round is said in the singular, and nothing drafted names no drafter and has no verdict to ask for", () => {
  page.show("one");
  assert.equal(note(), "speculative: story-draft drafts one token, one pass checks it");
  page.show("none");
  assert.equal(note(), "K = 0: nothing is drafted");
  assert.deepEqual(new Set(roles()), new Set(["prompt", "plain"]));
  assert.equal(count(".sv-undrafted, .sv-ask-verdicts"), 0);
  assert.ok(!text(".sv-numbers").includes("draft passes"));
  assert.ok(text(".sv-numbers").includes("target story-target (8.4 M) · float32"));
});

test("short blocks are drawn and told as they were", () => {
  page.show("short blocks");
  assert.match(text(".sv-undrafted"), /rounds nothing was drafted/);
  assert.match(text(".sv-numbers"), /drafted per round, average/);
  const second = block(1); // nothing was drafted: one plain token
  mapped(second, ({ dataset }) => dataset.role, ["plain"]);
  click(second[0]);
  assert.match(sentence(), /Nothing was drafted in this round/);
  assert.equal(count(".sv-inspector .sv-fill[data-series=q]"), 0);
  one(".sv-inspector .sv-fill[data-series=p]");
  click(block(2)[0]);
  assert.match(text(".sv-inspector"), /round 3, draft token 1 of 1/);
  click(tokens("plain", "vanilla")[0]); // which lacks no draft
  assert.match(sentence(), /one whole pass of the target, one token/);
});

for (const run of ["lookup", "greedy short blocks"]) {
  test(`every token of short blocks has a whole sentence: ${run}`, () => {
    page.show(run);
    for (const token of all(".sv-token", lane())) {
      token.click();
      const inspectorText = text(".sv-inspector");
      assert.ok(inspectorText.split(" ").length > 8, inspectorText);
      assert.doesNotMatch(inspectorText, BROKEN);
    }
  });
}
