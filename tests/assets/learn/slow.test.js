import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { causes } from "../../../assets/learn/busy/slow.js";

const table = JSON.parse(readFileSync(new URL("slow.json", import.meta.url), "utf8"));

/** Level of each cause by its key, the likeliest first. */
const levels = (accepted, K, texts, model) =>
  Object.fromEntries(causes(table, { accepted, K, texts, model }).map(({ key, level }) => [key, level]));

test("a full card comes first where verifying takes all of its arithmetic", () => {
  // 64 requests and K = 4 are 320 tokens a pass, more than the 295 operations a byte that an H100 has
  assert.equal(Object.keys(levels(0.8, 4, 64, "dense"))[0], "load");
  assert.deepEqual([levels(0.8, 4, 58, "dense").load, levels(0.8, 4, 59, "dense").load], ["possible", "likely"]);
  assert.ok(!("load" in levels(0.8, 4, 1, "dense")));
});

test("a bad draft and a long block are told apart by how many guesses are thrown away", () => {
  const [short, long] = [levels(0.3, 2, 1, "dense"), levels(0.65, 8, 1, "dense")];
  assert.deepEqual([short.acceptance, short.block], ["likely", undefined]);
  assert.deepEqual([long.acceptance, long.block], [undefined, "possible"]);
  assert.equal(levels(0.5, 8, 1, "dense").block, "likely");
});

test("experts are a cause for a mixture and few requests only", () => {
  const byTexts = [1, 24, 256].map((texts) => levels(0.8, 3, texts, "experts").experts);
  assert.deepEqual(byTexts, ["likely", "possible", undefined]);
  assert.equal(levels(0.8, 3, 1, "dense").experts, undefined);
});

test("a small target makes the draft dear, and what nobody knows is always possible", () => {
  assert.deepEqual([levels(0.9, 2, 1, "small").draft, levels(0.9, 2, 1, "dense").draft], ["likely", undefined]);
  for (const model of Object.keys(table.models))
    for (const texts of [1, 24.5, 512]) {
      const { overhead, comparison, ...others } = levels(0.55, 4, texts, model);
      assert.deepEqual([overhead, comparison], ["possible", "possible"]);
      const order = Object.values(others);
      assert.deepEqual(order, [...order].sort(), "the likeliest cause stands first");
    }
});
