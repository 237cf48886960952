import assert from "node:assert/strict";
import { test } from "node:test";
import { drawOnce, gap, mistakenShare, noDraws, pick, shareDrawn } from "../../../assets/learn/residual/draws.js";
import { mulberry } from "../../../assets/shared/random.js";

/** @import { Law, Part } from "../../../assets/learn/types.js" */

/** @param {number} p @param {number} q @returns {Part} */
const part = (p, q) => ({ token: null, p, q, shared: Math.min(p, q), excess: Math.max(0, p - q) });
/** @type {Law} */
const law = { entries: [part(0.4, 0.7), part(0.3, 0.15), part(0.2, 0.1), part(0.1, 0.05)], beta: 0.7 };
const [first, second, third, last] = law.entries;

/** Chances that come as they are listed. @param {...number} us */
function listed(...us) {
  return () => /** @type {number} */ (us.shift());
}

test("a token is drawn as often as it is likely", () => {
  assert.deepEqual(
    [0, 0.69, 0.71, 0.86, 0.96].map((u) => pick(law.entries, "q", u)),
    [first, first, second, third, last],
  );
});

test("the residual is scaled up to one, and what q has enough of is never drawn from it", () => {
  assert.deepEqual(
    [0, 0.49, 0.51, 0.84, 0.99].map((u) => pick(law.entries, "excess", u)),
    [second, second, third, last, last],
  );
});

test("where the sum has no room for u, the last that can be drawn is drawn", () => {
  const entries = [part(0.5, 0.2), part(0.5, 0.8)];
  assert.equal(pick(entries, "excess", 1), entries[0]);
});

test("a draft below p/q stays; at p/q it goes and is replaced from the residual", () => {
  const counts = noDraws();
  drawOnce(law, listed(0, 0.57), counts); // p/q = 4/7
  drawOnce(law, listed(0, 0.58, 0.51), counts);
  assert.deepEqual([counts.n, counts.accepted, counts.kept.get(first), counts.filled.get(third)], [2, 1, 1, 1]);
  const never = part(0, 1);
  const certain = { entries: [never, part(1, 0)], beta: 0 };
  drawOnce(certain, listed(0, 0, 0), counts);
  assert.equal(counts.kept.get(never), undefined);
});

test("many draws come near p, by both ways together, and β of them by the first", () => {
  const counts = noDraws();
  const chance = mulberry(1);
  for (let i = 0; i < 20_000; i++) drawOnce(law, chance, counts);
  assert.ok(gap(law, counts) < 0.015); // 4 standard deviations of the most uncertain share
  assert.ok(Math.abs(counts.accepted / counts.n - law.beta) < 0.015);
  assert.equal(counts.filled.get(first), undefined);
});

test("before anything is drawn every share is 0, and the gap is the largest p", () => {
  assert.deepEqual([shareDrawn(noDraws(), first), gap(law, noDraws())], [0, 0.4]);
});

test("the same seed gives the same chances, another one others", () => {
  const take = (/** @type {number} */ seed) => Array.from({ length: 5 }, mulberry(seed));
  assert.deepEqual(take(1), take(1));
  assert.notDeepEqual(take(1), take(2));
  assert.ok(Array.from({ length: 1000 }, mulberry(3)).every((u) => u >= 0 && u < 1));
});

test("with replacements from p, what the draft favours comes out too often: .52 instead of .40", () => {
  assert.ok(Math.abs(mistakenShare(law, first) - 0.52) < 1e-12);
  assert.ok(Math.abs(law.entries.reduce((sum, e) => sum + mistakenShare(law, e), 0) - 1) < 1e-12);
});

test("the wrong rule is drawn beside the right one, from the same drafts and coins, and its gap stays", () => {
  const counts = noDraws();
  const chance = mulberry(1);
  for (let i = 0; i < 20_000; i++) drawOnce(law, chance, counts);
  const replaced = (/** @type {Map<Part, number>} */ by) => [...by.values()].reduce((a, b) => a + b, 0);
  assert.equal(replaced(counts.wrong), replaced(counts.filled));
  assert.ok(Math.abs(shareDrawn(counts, first, "wrong") - 0.52) < 0.015);
  assert.ok(gap(law, counts, "wrong") > 0.1);
});
