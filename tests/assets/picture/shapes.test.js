// Chain or tree with the same number of guesses.

import assert from "node:assert/strict";
import { test } from "node:test";
import { best, chainOf, fastest, firsts, speedOf } from "../../../assets/picture/shapes.js";

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

test("a tree takes the likeliest guesses, wherever they stand", () => {
  const two = best(SHARE, 2);
  assert.ok(Math.abs(two.tokens - 1.9) < 1e-12);
  const all = best(SHARE, 6);
  const by_hand = 1 + 0.6 + 0.3 + 0.6 * 0.7 + 0.3 * 0.7;
  assert.ok(Math.abs(all.tokens - by_hand) < 1e-12 && all.passes === 2);
  for (let n = 1; n < 7; n++) assert.ok(best(SHARE, n).tokens >= chainOf(SHARE, n).tokens - 1e-12);
});

test("a round costs its draft passes and one pass over all its positions", () => {
  assert.equal(speedOf({ tokens: 3, passes: 5 }, 0.1, 1), 2);
  assert.ok(speedOf(best(SHARE, 6), 0.1, 3) < 1);
});

test("the fastest shape uses no more guesses than pay, and a tree is never slower than its own chain", () => {
  const dear = [1, 1.5, 2, 3, 4, 5, 6];
  const free = [1, 1, 1, 1, 1, 1, 1];
  assert.ok(fastest(SHARE, 6, 0.1, dear).guesses < fastest(SHARE, 6, 0.1, free).guesses);
  assert.deepEqual(fastest(SHARE, 6, 9, free), { guesses: 0, passes: 0, speed: 1 });
  for (const v of [dear, free]) assert.ok(fastest(SHARE, 6, 0.1, v).speed >= fastest(firsts(SHARE), 6, 0.1, v).speed);
});
