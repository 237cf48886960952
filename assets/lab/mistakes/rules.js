// The rules for one drafted token, and for two guesses at one place (a tree is that at each of its tokens), right and
// wrong, as public code has them. What is shown on the page is the text of these functions: what runs, what is
// enumerated and what is read is one thing. A line that is wrong says so behind it.

import { keeps, largest, likeliest, residual, softmax, top, typicalBound, without } from "./distributions.js";

/** @import { RoundRule, Rule, TokenRule } from "./types.js" */

/**
 * Each token is drafted just before its test, which gives the same distribution as drafting all K first: what stands
 * behind a rejected token is never looked at. @param {TokenRule} rule @returns {RoundRule}
 */
const roundOf = (rule) => (text, K, model, chance) => {
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

/** @param {string} key @param {boolean | null} right @param {TokenRule} token @returns {Rule} */
export const tokenRule = (key, right, token) => ({ key, right, token, round: roundOf(token), code: token });

/**
 * About what follows a block: at one position each of them is rejection.
 * @param {string} key @param {boolean} right @param {RoundRule} round @returns {Rule}
 */
const roundRule = (key, right, round) => ({ key, right, token: null, round, code: round });

/** Leviathan et al. 2022, algorithm 1. @type {TokenRule} */
const rejection = (p, q, chance) => {
  const x = chance.pick(q);
  if (chance.below(p[x] / q[x])) return { x, stays: true };
  return { x: chance.pick(residual(p, q)), stays: false };
};

/** In the order in which they are offered: those that follow p, then the mistakes. */
export const RULES = [
  tokenRule("rejection", true, rejection),
  // Sample and match.
  tokenRule("match", true, (p, q, chance) => {
    const x = chance.pick(q);
    const y = chance.pick(p);
    return { x: y, stays: x === y };
  }),
  // Block verification: Sun et al. 2024, arXiv 2403.10444, algorithm 2.
  roundRule("block", true, (text, K, { p, q }, chance) => {
    const x = [...text];
    while (x.length < text.length + K) x.push(chance.pick(q(x)));
    let [joint, stays, next] = [1, 0, residual(p(text), q(text))];
    for (let i = 1; i <= K; i++) {
      const [at, before, after] = [text.length + i - 1, x.slice(0, text.length + i - 1), x.slice(0, text.length + i)];
      joint = Math.min(1, (joint * p(before)[x[at]]) / q(before)[x[at]]);
      const scaled = p(after).map((p_x) => joint * p_x);
      if (!chance.below(i < K ? keeps(joint, scaled, q(after)) : joint)) continue;
      [stays, next] = [i, i < K ? residual(scaled, q(after)) : p(after)];
    }
    return [...x.slice(text.length, text.length + stays), chance.pick(next)];
  }),
  // q is 1 at the token that is drafted, so p/q is p there.
  tokenRule("argmax", true, (p, q, chance) => {
    const x = largest(q);
    if (chance.below(p[x])) return { x, stays: true };
    return { x: chance.pick(without(p, x)), stays: false };
  }),
  // Two children, the second drawn from what q has besides the first: Miao et al. 2023 (SpecInfer).
  tokenRule("recursive", true, (p, q, chance) => {
    const x = chance.pick(q);
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    const left = residual(p, q);
    const others = without(q, x);
    const y = chance.pick(others);
    if (chance.below(left[y] / others[y])) return { x: y, stays: true };
    return { x: chance.pick(residual(left, others)), stays: false };
  }),
  // The two likeliest children, chosen without chance.
  tokenRule("chosen", true, (p, q, chance) => {
    const children = likeliest(q, 2);
    const y = chance.pick(p);
    return { x: y, stays: children.includes(y) };
  }),
  // a mistake that costs tokens, and leaves the distribution as it is
  roundRule("unrewarded", true, (text, K, model, chance) => {
    /** @type {number[]} */
    const out = [];
    while (out.length < K) {
      const here = [...text, ...out];
      const { x, stays } = rejection(model.p(here), model.q(here), chance);
      out.push(x);
      if (!stays) return out;
    }
    return out; // ✗ no bonus: the last p of the pass is thrown away
  }),
  tokenRule("resample", false, (p, q, chance) => {
    const x = chance.pick(q);
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    return { x: chance.pick(p), stays: false }; // ✗ drawn from p, not from the residual
  }),
  tokenRule("softened", false, (p, q, chance) => {
    const x = chance.pick(q);
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    const excess = p.map((p_x, i) => Math.max(p_x - q[i], 0));
    return { x: chance.pick(softmax(excess)), stays: false }; // ✗ softmax, not divided by its sum
  }),
  tokenRule("mixed", false, (p, q, chance) => {
    const x = largest(q); // ✗ x was not drawn, so its q is 1; the test uses another
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    return { x: chance.pick(residual(p, q)), stays: false };
  }),
  tokenRule("doubtful", false, (p, q, chance) => {
    const x = chance.pick(q);
    if (q[x] < 0.2) return { x: chance.pick(p), stays: false }; // ✗ dropped by what was drawn
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    return { x: chance.pick(residual(p, q)), stays: false };
  }),
  tokenRule("most", false, (p, q, chance) => {
    const x = chance.pick(q);
    if (chance.atMost(p[x] / q[x])) return { x, stays: true }; // ✗ u ≤ p/q: also 0 ≤ 0, where p rules x out
    return { x: chance.pick(residual(p, q)), stays: false };
  }),
  tokenRule("stuck", false, (p, q, chance) => {
    const x = chance.pick(q);
    const u = 0.4963; // ✗ the seed is set to 0 before every draw: u is always this
    if (u < p[x] / q[x]) return { x, stays: true };
    return { x: chance.pick(residual(p, q)), stays: false };
  }),
  tokenRule("filtered", false, (p, q, chance) => {
    const x = chance.pick(top(q, 2)); // ✗ top-2 where it is drawn, all of q where it is tested
    if (chance.below(p[x] / q[x])) return { x, stays: true };
    return { x: chance.pick(residual(p, q)), stays: false };
  }),
  roundRule("early", false, (text, K, model, chance) => {
    /** @type {number[]} */
    const out = [];
    while (out.length < K) {
      const here = [...text, ...out];
      const { x, stays } = rejection(model.p(here), model.q(here), chance);
      out.push(x);
      if (!stays) return out;
    }
    return [...out, chance.pick(model.p([...text, ...out.slice(0, -1)]))]; // ✗ p of one position earlier
  }),
  // Cai et al. 2024 (Medusa) §2.3.1.
  tokenRule("typical", false, (p, q, chance) => {
    const x = chance.pick(q);
    if (p[x] > typicalBound(p)) return { x, stays: true }; // ✗ not improbable is enough
    return { x: chance.pick(p), stays: false };
  }),
];
