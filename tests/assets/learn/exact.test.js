import assert from "node:assert/strict";
import { test } from "node:test";
import { binomialTail, clopperPearson, signTest } from "../../../assets/learn/score.js";

const near = (a, b) => assert.ok(Math.abs(a - b) < 1e-4, `${a} is not ${b}`);

test("a tail of the binomial distribution is the sum of its chances", () => {
  near(binomialTail(4, 3, 0.5), 5 / 16);
  near(binomialTail(3, 1, 0.2), 1 - 0.8 ** 3);
  assert.deepEqual([binomialTail(5, 0, 0.3), binomialTail(5, 5, 1), binomialTail(5, 1, 0)], [1, 1, 0]);
});

test("an interval is that of Clopper and Pearson", () => {
  for (const [k, n, low, high] of [
    [0, 10, 0, 0.3085], // 1 − .025^(1/10)
    [10, 10, 0.6915, 1],
    [5, 10, 0.1871, 0.8129], // of their tables
    [1, 20, 0.0013, 0.2487],
  ]) {
    const [a, b] = clopperPearson(k, n);
    near(a, low);
    near(b, high);
  }
});

test("the sign test counts both sides, and says nothing where nobody changed", () => {
  near(signTest(8, 0), 2 / 256);
  near(signTest(1, 7), 18 / 256);
  assert.deepEqual([signTest(0, 0), signTest(3, 3)], [1, 1]);
});
