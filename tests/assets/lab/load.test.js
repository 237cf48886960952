import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { zeroSentence } from "../../../assets/lab/load/sentences.js";
import { DRAFT } from "../../../assets/learn/busy/server.js";
import { bestOf, memoryOf, servingAt, servingByK } from "../../../assets/shared/serving.js";

/** Every number of `expected` is in `actual`, to nine digits. */
function assertClose(actual, expected) {
  for (const [key, value] of Object.entries(expected)) {
    if (typeof value === "object" && value !== null) assertClose(actual[key], value);
    else if (typeof value !== "number") assert.equal(actual[key], value);
    else
      assert.ok(
        Math.abs(actual[key] - value) <= 1e-9 * Math.max(1, Math.abs(value)),
        `${key}: ${actual[key]} is not ${value}`,
      );
  }
}

test("a step gives latency, pace and what was thrown away", () => {
  const got = servingAt({ target: [10, 10, 11], draft: 1 }, [0.5], 2, 4);
  const latency = 13 / 1.75;
  assertClose(got, {
    step: 13,
    tokens: 1.75,
    latency,
    pace: 4000 / latency,
    thrown: 1 - 1.75 / 3,
    speedup: 10 / latency,
  });
  assert.equal(servingAt({ target: [10], draft: 1 }, [0.9], 0, 4).thrown, 0);
});

test("of K that are equally fast the least is best", () => {
  const same = { target: Array(8).fill(5.44), draft: 5.44 }; // the target drafts for itself and all is kept: nothing gained
  assert.equal(bestOf(servingByK(same, [1], 8)).K, 0);
});

test("loads at which no K pays are named, also where a larger one pays again", () => {
  const words = {
    zero: "from {texts}",
    zero_between: "{none} not, from {texts}",
    zero_never: "never {texts}",
    zero_never_between: "{none} not, {texts}",
    zero_always: "all",
  };
  const [pays, not] = [
    { target: [10, 10], draft: 1 },
    { target: [10, 20], draft: 9 },
  ];
  const sentence = (...by) => {
    const grid = by.map((_, i) => 2 ** i);
    return zeroSentence({ grid, alpha: 0.7, passesOf: (texts) => by[grid.indexOf(texts)] }, words);
  };
  assert.deepEqual(
    [sentence(pays, pays), sentence(pays, not), sentence(not, not, pays), sentence(not, not), sentence(not, pays, not)],
    ["never 2", "from 2", "1, 2 not, 4", "all", "1 not, from 4"],
  );
});

test("a model takes its weights and a cache of keys and values per position", () => {
  const { weights, cache } = memoryOf(DRAFT, 1000);
  assert.equal(weights, 2 * 8.03);
  assert.equal(cache, (1000 * 2 * 32 * 8 * 128 * 2) / 1e9); // keys and values, layers, heads, their size, bytes
});
