// What a panel of the Lab shows as its result.

import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { makeResults } = await import("../../../assets/lab/results.js");

test("a recorded result stays, and is called recorded, until a run here has found something", async () => {
  const context = { words: { recorded: "Recorded: {target}, {K}.", empty: "" }, updateLink() {}, startRun() {} };
  const server = { recorded_luck: async () => JSON.stringify({ target: "fable", found: "old" }) };
  const painted = [];
  const form = { values: () => ({}) };
  const results = makeResults(
    { ...context, server },
    form,
    "recorded_luck",
    (now) => painted.push(now),
    null,
    (old) => ({ K: `K of ${old}` }),
  );
  await Promise.resolve();
  results.view.run();
  results.view.showResult(null); // a refusal
  assert.deepEqual(
    [painted.at(-1), results.note.textContent?.trim(), results.note.hidden],
    ["old", "Recorded: fable, K of old.", false],
  );
  results.view.showResult("new");
  assert.deepEqual([painted.at(-1), results.note.hidden], ["new", true]);
});
