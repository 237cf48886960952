import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { zeroSentence } from "../../../assets/lab/load/sentences.js";
import { bestOf, byFormula, memoryOf, servingAt, servingByK, unequalTexts } from "../../../assets/shared/serving.js";

const read = (path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const hardware = read("../../../assets/shared/hardware.json");
const servedCases = read("served.json");
const byKey = (list, key) => list.find((one) => one.key === key);

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

const small = byKey(hardware.models, "llama-3.1-8b");

test("the page serves as specviz/lab/load.py does", () => {
  assert.equal(servedCases.length, 3);
  for (const { asked, ...expected } of servedCases) {
    const [target, draft] = [byKey(hardware.models, asked.target), byKey(hardware.models, asked.draft)];
    const where = { card: byKey(hardware.cards, asked.card), devices: asked.devices, reach: 0.8, launch: 5 };
    const passes = byFormula(target, draft, where, { texts: asked.texts, context: asked.context });
    assertClose({ passes, best: bestOf(servingByK(passes, [asked.alpha], asked.texts)) }, expected);
  }
});

test("texts that must stay aligned wait for the one that keeps least; none has an α beyond 1", () => {
  const passes = { target: [10, 10, 10, 10, 10], draft: 0.5 };
  const { latency } = servingAt(passes, [0.7], 4, 1);
  assert.deepEqual(unequalTexts(passes, 0.7, 0.2, 4, 1), { mean: latency, slowest: latency, aligned: latency });
  const ragged = unequalTexts(passes, 0.7, 0.2, 4, 8);
  assert.ok(latency < ragged.mean && ragged.mean < ragged.slowest && ragged.slowest < ragged.aligned);
  assertClose(unequalTexts(passes, 0.7, 0, 4, 8), { mean: latency });
  assertClose(unequalTexts(passes, 0.9, 0.5, 4, 8), unequalTexts(passes, 0.7, 0.3, 4, 8));
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
  const { weights, cache } = memoryOf(small, 1000);
  assert.equal(weights, 2 * 8.03);
  assert.equal(cache, (1000 * 2 * 32 * 8 * 128 * 2) / 1e9); // keys and values, layers, heads, their size, bytes
});
