// The rules for one drafted token, and for two guesses at one place (a tree is that at each of its tokens), right and
// wrong, as public code has them. What is shown on the page is the text of these functions: what runs, what is
// enumerated and what is read is one thing. A line that is wrong says so behind it.

import { byPlace, largest, likeliest, residual, softmax, top, typicalBound, without } from "./distributions.js";

/** @import { TokenRule } from "./types.js" */

/** Leviathan et al. 2022, algorithm 1. @type {TokenRule} */
export const rejection = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** Sample and match. @type {TokenRule} */
export const match = (p, q, chance) => {
  const x = chance.pick(q);
  const y = chance.pick(p);
  return { x: y, stays: x === y };
};

/** q is 1 at the token that is drafted, so p/q is p there. @type {TokenRule} */
export const argmax = (p, q, chance) => {
  const x = largest(q);
  if (chance.below(p[x])) return { x, stays: true };
  return { x: chance.pick(without(p, x)), stays: false };
};

/** @type {TokenRule} */
export const resample = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(p), stays: false }; // ✗ drawn from p, not from the residual
};

/** @type {TokenRule} */
export const softened = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  const excess = p.map((p_x, i) => Math.max(p_x - q[i], 0));
  return { x: chance.pick(softmax(excess)), stays: false }; // ✗ softmax, not divided by its sum
};

/** @type {TokenRule} */
export const mixed = (p, q, chance) => {
  const x = largest(q); // ✗ x was not drawn, so its q is 1; the test uses another
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** @type {TokenRule} */
export const doubtful = (p, q, chance) => {
  const x = chance.pick(q);
  if (q[x] < 0.2) return { x: chance.pick(p), stays: false }; // ✗ dropped by what was drawn
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** @type {TokenRule} */
export const most = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.atMost(p[x] / q[x])) return { x, stays: true }; // ✗ u ≤ p/q: also 0 ≤ 0, where p rules x out
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** @type {TokenRule} */
export const stuck = (p, q, chance) => {
  const x = chance.pick(q);
  const u = 0.4963; // ✗ the seed is set to 0 before every draw: u is always this
  if (u < p[x] / q[x]) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** @type {TokenRule} */
export const filtered = (p, q, chance) => {
  const x = chance.pick(top(q, 2)); // ✗ top-2 where it is drawn, all of q where it is tested
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** Cai et al. 2024 (Medusa) §2.3.1. @type {TokenRule} */
export const typical = (p, q, chance) => {
  const x = chance.pick(q);
  if (p[x] > typicalBound(p)) return { x, stays: true }; // ✗ not improbable is enough
  return { x: chance.pick(p), stays: false };
};

/** Two children, the second drawn from what q has besides the first: Miao et al. 2023 (SpecInfer). @type {TokenRule} */
export const recursive = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  const left = residual(p, q);
  const others = without(q, x);
  const y = chance.pick(others);
  if (chance.below(left[y] / others[y])) return { x: y, stays: true };
  return { x: chance.pick(residual(left, others)), stays: false };
};

/** The two likeliest children, chosen without chance. @type {TokenRule} */
export const chosen = (p, q, chance) => {
  const children = likeliest(q, 2);
  const y = chance.pick(p);
  return { x: y, stays: children.includes(y) };
};

/** TensorRT-LLM's dynamic trees until June 2026. @type {TokenRule} */
export const siblings = (p, q, chance) => {
  for (const x of likeliest(q, 2)) {
    if (chance.below(p[x] / q[x])) return { x, stays: true }; // ✗ x not drawn from q; p stays as before a rejection
  }
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** llama.cpp, examples/speculative. @type {TokenRule} */
export const places = (p, q, chance) => {
  const cut = top(q, 2);
  const x = chance.pick(cut);
  if (chance.below(p[x] / cut[x])) return { x, stays: true };
  return { x: chance.pick(byPlace(p, cut)), stays: false }; // ✗ place 2 of one list is another token in the other
};
