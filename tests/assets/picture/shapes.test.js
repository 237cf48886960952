// Chain or tree with the same number of guesses; which tree is best: tests/picture/test_view.py.

import assert from "node:assert/strict";
import { test } from "node:test";
import { chainOf } from "../../../assets/picture/shapes.js";

const SHARE = [
  [0.6, 0.3],
  [0.5, 0.2],
];

test("a chain adds the chance of each of its guesses to the token that is sure", () => {
  for (const [n, tokens, passes] of [
    [1, 1.6, 1],
    [2, 1.9, 2],
    [9, 1.9, 2], // deeper nothing was measured
  ]) {
    const chain = chainOf(SHARE, n);
    assert.ok(Math.abs(chain.tokens - tokens) < 1e-12);
    assert.equal(chain.passes, passes);
  }
});
