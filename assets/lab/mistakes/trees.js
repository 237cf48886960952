// Rules for two guesses at one place, right and wrong: a tree is that at each of its tokens. Shown as they run, like
// rules.js.

import { byPlace, likeliest, residual, top, without } from "./distributions.js";

/** @import { TokenRule } from "./types.js" */

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
