// What a panel of the Lab shows as its result.

import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { makeResults } = await import("../../../assets/lab/results.js");

test("a recorded result stays, and is called recorded, until a run here has found something", async () => {
  const bench = { words: { recorded: "Recorded: {target}.", empty: "" }, keep() {}, run() {} };
  const server = { recorded_luck: async () => JSON.stringify({ target: "fable", found: "old" }) };
  /** @type {(string | null)[]} */
  const shown = [];
  const form = { values: () => ({}) };
  const results = makeResults(
    /** @type {any} */ ({ ...bench, server }),
    /** @type {any} */ (form),
    "recorded_luck",
    (now) => shown.push(/** @type {any} */ (now)),
  );
  await Promise.resolve();
  results.panel.run();
  results.panel.found(null); // a refusal
  assert.deepEqual(
    [shown.at(-1), results.note.textContent?.trim(), results.note.hidden],
    ["old", "Recorded: fable.", false],
  );
  results.panel.found("new");
  assert.deepEqual([shown.at(-1), results.note.hidden], ["new", true]);
});
