// Rounds of drafted tokens. Each token is drafted just before its test, which gives the same distribution as
// drafting all K first: what stands behind a rejected token is never looked at.

import { keeps, residual } from "./distributions.js";
import { rejection } from "./rules.js";

/** @import { RoundRule, TokenRule } from "./types.js" */

/** @param {TokenRule} rule @returns {RoundRule} */
export const rounds = (rule) => (text, K, model, chance) => {
  /** @type {number[]} */
  const out = [];
  while (out.length < K) {
    const here = [...text, ...out];
    const { x, stays } = rule(model.p(here), model.q(here), chance, out.length + 1, K);
    out.push(x);
    if (!stays) return out;
  }
  return [...out, chance.pick(model.p([...text, ...out]))];
};

/** @type {RoundRule} */
export const unrewarded = (text, K, model, chance) => {
  /** @type {number[]} */
  const out = [];
  while (out.length < K) {
    const here = [...text, ...out];
    const { x, stays } = rejection(model.p(here), model.q(here), chance);
    out.push(x);
    if (!stays) return out;
  }
  return out; // ✗ no bonus: the last p of the pass is thrown away
};

/** @type {RoundRule} */
export const early = (text, K, model, chance) => {
  /** @type {number[]} */
  const out = [];
  while (out.length < K) {
    const here = [...text, ...out];
    const { x, stays } = rejection(model.p(here), model.q(here), chance);
    out.push(x);
    if (!stays) return out;
  }
  return [...out, chance.pick(model.p([...text, ...out.slice(0, -1)]))]; // ✗ p of one position earlier
};

/** Block verification: Sun et al. 2024, arXiv 2403.10444, algorithm 2. @type {RoundRule} */
export const block = (text, K, { p, q }, chance) => {
  const x = [...text];
  while (x.length < text.length + K) x.push(chance.pick(q(x)));
  let [joint, stays, then] = [1, 0, residual(p(text), q(text))];
  for (let i = 1; i <= K; i++) {
    const [at, before, after] = [text.length + i - 1, x.slice(0, text.length + i - 1), x.slice(0, text.length + i)];
    joint = Math.min(1, (joint * p(before)[x[at]]) / q(before)[x[at]]);
    const scaled = p(after).map((p_x) => joint * p_x);
    if (!chance.below(i < K ? keeps(joint, scaled, q(after)) : joint)) continue;
    [stays, then] = [i, i < K ? residual(scaled, q(after)) : p(after)];
  }
  return [...x.slice(text.length, text.length + stays), chance.pick(then)];
};
