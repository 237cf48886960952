import assert from "node:assert/strict";
import { test } from "node:test";
import { atLeast, interval, signTest } from "../../../assets/learn/exact.js";

const near = (/** @type {number} */ a, /** @type {number} */ b) =>
  assert.ok(Math.abs(a - b) < 1e-4, `${a} is not ${b}`);

test("a tail of the binomial distribution is the sum of its chances", () => {
  near(atLeast(4, 3, 0.5), 5 / 16);
  near(atLeast(3, 1, 0.2), 1 - 0.8 ** 3);
  assert.deepEqual([atLeast(5, 0, 0.3), atLeast(5, 5, 1), atLeast(5, 1, 0)], [1, 1, 0]);
});

test("an interval is that of Clopper and Pearson", () => {
  for (const [k, n, low, high] of [
    [0, 10, 0, 0.3085], // 1 − .025^(1/10)
    [10, 10, 0.6915, 1],
    [5, 10, 0.1871, 0.8129], // of their tables
    [1, 20, 0.0013, 0.2487],
  ]) {
    const [a, b] = interval(k, n);
    near(a, low);
    near(b, high);
  }
});

test("an interval holds the share in at least 95 of 100 samples, for every share", () => {
  const n = 12;
  for (let p = 0.05; p < 1; p += 0.05) {
    let held = 0;
    for (let k = 0; k <= n; k++) {
      const [low, high] = interval(k, n);
      if (low <= p && p <= high) held += atLeast(n, k, p) - atLeast(n, k + 1, p);
    }
    assert.ok(held >= 0.95, `${held} at ${p}`);
  }
});

test("the sign test counts both sides, and says nothing where nobody changed", () => {
  near(signTest(8, 0), 2 / 256);
  near(signTest(1, 7), 18 / 256);
  assert.deepEqual([signTest(0, 0), signTest(3, 3)], [1, 1]);
});
