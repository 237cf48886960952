import assert from "node:assert/strict";
import { test } from "node:test";
import { held } from "../../../assets/learn/estimate.js";

const found = { ms: { 1: 4, 8: 10 }, target: "big", device: "cpu" };

test("a number is held against what was measured, once both are there", () => {
  assert.deepEqual(held(4, found, 8), { said: "4.00×", measured: "2.50×" });
});

test("before a number was said, or anything measured, nothing is told", () => {
  assert.equal(held(undefined, found, 8), null);
  assert.equal(held(4, null, 8), null);
  assert.equal(held(4, { error: "device is gone" }, 8), null);
});
