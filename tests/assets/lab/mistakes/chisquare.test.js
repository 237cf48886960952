import "../../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { chiSquare, upperGamma } from "../../../../assets/lab/mistakes/trial.js";
import { frequencyText } from "../../../../assets/lab/mistakes/verdict.js";

test("the p-value is that of the tables", () => {
  const table = [
    [1, 3.841459, 0.05],
    [3, 7.814728, 0.05],
    [3, 16.266236, 0.001],
    [10, 3.940299, 0.95],
    [26, 38.885139, 0.05],
  ];
  for (const [freedom, chi, p] of table)
    assert.ok(Math.abs(upperGamma(freedom / 2, chi / 2) - p) < 1e-6, `${freedom} ${chi}`);
});

test("χ² of counts is the sum over cells of what was expected, small cells together", () => {
  const result = chiSquare([30, 20], [0.5, 0.5]);
  assert.deepEqual([result.chi, result.freedom], [2, 1]);
  assert.equal(chiSquare([50, 48, 1, 1], [0.5, 0.48, 0.01, 0.01]).freedom, 1);
  assert.equal(chiSquare([3, 0], [1, 0]).p, null);
});

test("what p rules out needs no test", () => {
  assert.equal(chiSquare([10, 1, 0], [1, 0, 0]).impossible, 1);
});

test("a p-value is said as a person says it", () => {
  const words = { never: "never", of_hundred: "{n} of 100", one_of: "1 of {n}" };
  assert.deepEqual(
    [0.62, 0.05, 0.0013, 1e-12].map((p) => frequencyText(p, words)),
    ["62 of 100", "1 of 20", "1 of 770", "never"],
  );
});
