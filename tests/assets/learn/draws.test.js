import assert from "node:assert/strict";
import { test } from "node:test";
import { drawOnce, entryAt, gap, noDraws, shareDrawn, wrongShare } from "../../../assets/learn/residual/draws.js";
import { mulberry } from "../../../assets/shared/random.js";

const part = (p, q) => ({ token: null, p, q, shared: Math.min(p, q), excess: Math.max(0, p - q) });
const position = { entries: [part(0.4, 0.7), part(0.3, 0.15), part(0.2, 0.1), part(0.1, 0.05)], beta: 0.7 };
const [first, second, third, last] = position.entries;

/** Chances that come as they are listed. */
function uniforms(...us) {
  return () => us.shift();
}

test("a token is drawn as often as it is likely", () => {
  assert.deepEqual(
    [0, 0.69, 0.71, 0.86, 0.96].map((u) => entryAt(position.entries, "q", u)),
    [first, first, second, third, last],
  );
});

test("the residual is scaled up to one, and what q has enough of is never drawn from it", () => {
  assert.deepEqual(
    [0, 0.49, 0.51, 0.84, 0.99].map((u) => entryAt(position.entries, "excess", u)),
    [second, second, third, last, last],
  );
});

test("where the sum has no room for u, the last that can be drawn is drawn", () => {
  const entries = [part(0.5, 0.2), part(0.5, 0.8)];
  assert.equal(entryAt(entries, "excess", 1), entries[0]);
});

test("a draft below p/q stays; at p/q it goes and is replaced from the residual", () => {
  const counts = noDraws();
  drawOnce(position, uniforms(0, 0.57), counts); // p/q = 4/7
  drawOnce(position, uniforms(0, 0.58, 0.51), counts);
  assert.deepEqual(
    [counts.n, counts.accepted, counts.fromDraft.get(first), counts.fromResidual.get(third)],
    [2, 1, 1, 1],
  );
  const never = part(0, 1);
  const certain = { entries: [never, part(1, 0)], beta: 0 };
  drawOnce(certain, uniforms(0, 0, 0), counts);
  assert.equal(counts.fromDraft.get(never), undefined);
});

test("before anything is drawn every share is 0, and the gap is the largest p", () => {
  assert.deepEqual([shareDrawn(noDraws(), first), gap(position, noDraws())], [0, 0.4]);
});

test("the same seed gives the same chances, another one others", () => {
  const draws = (seed) => Array.from({ length: 5 }, mulberry(seed));
  assert.deepEqual(draws(1), draws(1));
  assert.notDeepEqual(draws(1), draws(2));
  assert.ok(Array.from({ length: 1000 }, mulberry(3)).every((u) => u >= 0 && u < 1));
});

test("with replacements from p, what the draft favours comes out too often: .52 instead of .40", () => {
  assert.ok(Math.abs(wrongShare(position, first) - 0.52) < 1e-12);
  assert.ok(Math.abs(position.entries.reduce((sum, e) => sum + wrongShare(position, e), 0) - 1) < 1e-12);
});

test("the wrong rule is drawn beside the right one, from the same drafts and coins, and its gap stays", () => {
  const counts = noDraws();
  const chance = mulberry(1);
  for (let i = 0; i < 20_000; i++) drawOnce(position, chance, counts);
  const replaced = (by) => [...by.values()].reduce((a, b) => a + b, 0);
  assert.equal(replaced(counts.fromTarget), replaced(counts.fromResidual));
  assert.ok(Math.abs(shareDrawn(counts, first, "fromTarget") - 0.52) < 0.015);
  assert.ok(gap(position, counts, "fromTarget") > 0.1);
});
