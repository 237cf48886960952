// A chain and a tree of so many guesses: which the draft takes first, and what they give by the target's chances.

import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { orderByChance, shapeOf } from "../../../assets/learn/ways/position.js";

const guess = (parent, q, p) => ({ text: "x", parent, q, p });
const tree = [guess(-1, 0.5, 0.2), guess(-1, 0.3, 0.7), guess(0, 0.4, 0.5), guess(1, 0.9, 0.8)];

test("a larger budget takes the guess that the draft thinks likeliest along its path, of equals the earlier", () => {
  assert.deepEqual(orderByChance(tree), [0, 1, 3, 2]); // .5, .3, .27, .2
  assert.deepEqual(orderByChance([guess(-1, 0.5, 0), guess(0, 1, 0), guess(-1, 0.5, 0)]), [0, 1, 2]);
});

test("a guess counts as often as the target accepts the path to it, and one more token always comes", () => {
  assert.deepEqual(shapeOf(tree, 0), { tokens: 1, passes: 0 });
  assert.deepEqual(shapeOf(tree, 1), { tokens: 1.2, passes: 1 });
  const near = (n) => Number(shapeOf(tree, n).tokens.toFixed(12));
  assert.deepEqual([near(2), near(3), near(4)], [1.9, 2.46, 2.56]);
  assert.equal(shapeOf(tree, 3).passes, 2);
});
