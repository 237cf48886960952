import assert from "node:assert/strict";
import { test } from "node:test";
import { compareEstimate, nearest } from "../../../assets/learn/estimate.js";

const found = { ms: { 1: 4, 8: 10 }, target: "big", device: "cpu" };

test("a number is held against what was measured, once both are there", () => {
  assert.deepEqual(compareEstimate(4, found, 8), { said: "4.00×", measured: "2.50×" });
});

test("before a number was said, or anything measured, nothing is told", () => {
  assert.equal(compareEstimate(undefined, found, 8), null);
  assert.equal(compareEstimate(4, null, 8), null);
  assert.equal(compareEstimate(4, { error: "device is gone" }, 8), null);
});

test("a measured factor is answered by the power of two that is nearest", () => {
  assert.deepEqual(
    [0.8, 1.3, 1.5, 3, 7, 40].map((factor) => nearest(factor, 4)),
    [0, 0, 1, 2, 3, 3],
  );
});
