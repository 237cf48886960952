import assert from "node:assert/strict";
import { test } from "node:test";
import { compareEstimate, nearest } from "../../../assets/learn/question.js";

test("before a number was said, or anything measured, nothing is compared", () => {
  for (const [estimate, measurement] of [
    [undefined, { ms: { 1: 4, 8: 10 } }],
    [4, null],
    [4, { error: "device is gone" }],
  ])
    assert.equal(compareEstimate(estimate, measurement, 8), null);
});

test("a measured factor is answered by the power of two that is nearest", () => {
  assert.deepEqual(
    [0.8, 1.3, 1.5, 3, 7, 40].map((factor) => nearest(factor, 4)),
    [0, 0, 1, 2, 3, 3],
  );
});
