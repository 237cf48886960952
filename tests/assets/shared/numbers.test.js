import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { milliseconds, minute, number, percent, probability, times } from "../../../assets/shared/numbers.js";

test("a number has as many digits as were asked for, and what would round to nothing says so", () => {
  assert.deepEqual(
    [number(1234.5, 1), number(0, 2), number(0.004, 2), number(-0.004, 2)],
    ["1,234.5", "0", "<0.01", "<0.01"],
  );
});

test("what a run does not have is a sign and never a zero", () => {
  const texts = [number(null, 1), number(undefined, 1), percent(null), times(undefined), probability(null)];
  assert.deepEqual([...new Set(texts)], ["–"]);
});

test("a small probability keeps two digits, so that p/q can be checked by eye", () => {
  const texts = [1, 0.5, 0.01, 0.00123, 0.000012, 0.0000012, 0].map(probability);
  assert.deepEqual(texts, ["1.000", "0.500", "0.010", "0.0012", "0.000012", "1.2e-6", "0"]);
});

test("milliseconds lose digits as they grow", () => {
  assert.deepEqual([3.333, 33.33, 333.3].map(milliseconds), ["3.33", "33.3", "333"]);
});

test("shares and factors carry their sign", () => {
  assert.deepEqual([percent(0.1234), times(1.5)], ["12.3 %", "1.50×"]);
});

test("a time in UTC is written to the minute, and what is no such time stands as it is", () => {
  const texts = ["2026-11-24T16:55:12+00:00", "2026-11-24T16:55Z", "2026-11-24T16:55:12+02:00", "20261124"].map(minute);
  assert.deepEqual(texts, ["2026-11-24 16:55 UTC", "2026-11-24 16:55 UTC", "2026-11-24T16:55:12+02:00", "20261124"]);
});
