import assert from "node:assert/strict";
import { test } from "node:test";
import { rising, upTo } from "../../../assets/shared/clock.js";
import { scaleTop, share } from "../../../assets/shared/scale.js";

test("a bar is a share of its row and never leaves it", () => {
  assert.deepEqual([share(0.25, 0.5), share(2, 1), share(-1, 1)], ["50%", "100%", "0%"]);
});

test("a scale ends at the smallest round number that the longest bar fits in", () => {
  assert.deepEqual([[0.05], [0.1], [0.11, 0.3], [0.61], [0.99], []].map(scaleTop), [0.1, 0.1, 0.3, 0.8, 1, 0.1]);
});

test("moments that come back or stand still are one", () => {
  assert.deepEqual(rising([1, 1, 3, 2, 3.0000001, 4]), [1, 3, 4]);
});

test("how many of a sorted list have come is found without looking at all", () => {
  let looked = 0;
  const list = Array.from({ length: 1000 }, (_, i) => i);
  const time = (x) => {
    looked += 1;
    return x;
  };
  assert.deepEqual(
    [-1, 0, 499.5, 999, 2000].map((t) => upTo(list, t, time)),
    [0, 1, 500, 1000, 1000],
  );
  assert.ok(looked <= 5 * 10);
});
