// The rules for one drafted token, and for two guesses at one place (a tree is that at each of its tokens), right and
// wrong, as public code has them. What is shown on the page is the text of these functions: what runs, what is enumerated
// and what is read is one thing. A line that is wrong says so behind it. And what is drawn again and again: the token at one
// position, or a whole text of a small language, by a seeded generator, or by every way there is, each with its probability.

import { sum } from "../../trace/events.js";

/** @import { Case, Chance, Distribution, Model, RoundRule, Rule, TokenRule } from "../types.js" */

const TYPICAL_EPSILON = 0.09; // Medusa's own (posterior_threshold, posterior_alpha)
const TYPICAL_DELTA = 0.3;

/** max(p − q, 0), scaled up to 1; p itself where nothing is left.
 * @param {Distribution} p @param {Distribution} q @returns {Distribution} */
export function residual(p, q) {
  let mass = 0;
  const excess = p.map((p_x, i) => {
    const more = Math.max(p_x - q[i], 0);
    mass += more;
    return more;
  });
  return mass > 0 ? excess.map((more) => more / mass) : p;
}

/** So that it is 1 together. @param {readonly number[]} weights @returns {Distribution} */
export function normalized(weights) {
  const mass = sum(weights);
  return weights.map((weight) => weight / mass);
}

/** @param {Distribution} values @returns {Distribution} */
const softmax = (values) => normalized(values.map(Math.exp));

/** The token of the largest chance, the first of several. @param {Distribution} p */
export const largest = (p) => p.indexOf(Math.max(...p));

/** p where x is not: what the residual is where q is 1 at x.
 * @param {Distribution} p @param {number} x @returns {Distribution} */
const without = (p, x) =>
  residual(
    p,
    p.map((_, i) => (i === x ? 1 : 0)),
  );

/** The tokens of the k largest chances, the largest first. @param {Distribution} p @param {number} k */
const likeliest = (p, k) => [...p.keys()].sort((i, j) => p[j] - p[i]).slice(0, k);

/** The k largest alone, scaled up to 1. @param {Distribution} p @param {number} k @returns {Distribution} */
function top(p, k) {
  const best = likeliest(p, k);
  const mass = sum(best.map((i) => p[i]));
  return p.map((chance, i) => (best.includes(i) ? chance / mass : 0));
}

/** H(p), in nats. @param {Distribution} p */
export const entropy = (p) => p.reduce((sum, p_x) => (p_x > 0 ? sum - p_x * Math.log(p_x) : sum), 0);

/** min(ε, δ·e^−H(p)). @param {Distribution} p */
const typicalBound = (p) => Math.min(TYPICAL_EPSILON, TYPICAL_DELTA * Math.exp(-entropy(p)));

/** h of block verification: the chance to keep i tokens where no more are kept.
 * @param {number} joint p_i @param {Distribution} scaled p_i·p @param {Distribution} q */
export function keeps(joint, scaled, q) {
  const mass = scaled.reduce((sum, p_x, i) => sum + Math.max(p_x - q[i], 0), 0);
  return mass + (1 - joint) > 0 ? mass / (mass + (1 - joint)) : 1;
}

/** Total variation, ½ Σ |a − b|. @param {Distribution} a @param {Distribution} b */
export const distance = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / 2;

/** Each token is drafted just before its test, which gives the same distribution as drafting all K first: what stands
 * behind a rejected token is never looked at. @param {TokenRule} rule @returns {RoundRule} */
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

/** About what follows a block: at one position each of them is rejection.
 * @param {string} key @param {boolean} right @param {RoundRule} round @returns {Rule} */
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
    const rest = residual(p, q);
    const others = without(q, x);
    const y = chance.pick(others);
    if (chance.below(rest[y] / others[y])) return { x: y, stays: true };
    return { x: chance.pick(residual(rest, others)), stays: false };
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

const U_VALUES = 256; // values of a u of 8 bits

/** @param {string[]} names @param {Distribution} p @param {Distribution} q @returns {Case} */
export function positionCase(names, p, q) {
  const model = { p: () => p, q: () => q };
  const applyRule = (/** @type {Rule} */ rule, /** @type {Chance} */ chance) =>
    rule.token ? rule.token(p, q, chance) : { x: rule.round([], 1, model, chance)[0], stays: false };
  return {
    names,
    tokens: names,
    p,
    q,
    exact(rule) {
      const exact = p.map(() => 0);
      for (const { result, chance } of enumerateOutcomes((c) => applyRule(rule, c))) exact[result.x] += chance;
      return exact;
    },
    roundMeans(rule) {
      const stays = rule.token && mean(enumerateOutcomes((c) => Number(applyRule(rule, c).stays)));
      return { stays, tokens: mean(enumerateOutcomes((c) => rule.round([], 1, model, c).length)) };
    },
    draw: (rule, chance) => applyRule(rule, chance).x,
  };
}

/** Every text of so many tokens, written in rounds of at most K drafts; what the last round writes beyond is cut off.
 * @param {string[]} tokens @param {Model} model @param {number} length @param {number} K @returns {Case} */
export function textsCase(tokens, model, length, K) {
  const all = allTexts(tokens.length, length);
  const indexOfText = (/** @type {readonly number[]} */ text) => text.slice(0, length).reduce((n, x) => n * tokens.length + x, 0);
  return {
    names: all.map((text) => text.map((x) => tokens[x]).join("")),
    tokens,
    p: all.map((text) => text.reduce((chance, x, i) => chance * model.p(text.slice(0, i))[x], 1)),
    exact(rule) {
      const exact = all.map(() => 0);
      /** @param {number[]} text @param {number} reached how likely it is to come here */
      function extend(text, reached) {
        if (text.length >= length) exact[indexOfText(text)] += reached;
        else
          for (const way of enumerateOutcomes((c) => rule.round(text, K, model, c)))
            extend([...text, ...way.result], reached * way.chance);
      }
      extend([], 1);
      return exact;
    },
    roundMeans: (rule) => ({ stays: null, tokens: mean(enumerateOutcomes((c) => rule.round([], K, model, c).length)) }),
    draw(rule, chance) {
      /** @type {number[]} */
      const text = [];
      while (text.length < length) text.push(...rule.round(text, K, model, chance));
      return indexOfText(text);
    },
  };
}

/** @param {{ result: number, chance: number }[]} ways */
const mean = (ways) => ways.reduce((sum, { result, chance }) => sum + result * chance, 0);

/** @param {number} tokens @param {number} length @returns {number[][]} in order */
function allTexts(tokens, length) {
  if (length === 0) return [[]];
  return allTexts(tokens, length - 1).flatMap((text) => Array.from({ length: tokens }, (_, x) => [...text, x]));
}

/** @param {() => number} random gives a number on [0, 1) @returns {Chance} */
export function samplingChance(random) {
  return {
    pick(p) {
      let rest = random();
      for (let i = 0; i < p.length; i++) {
        rest -= p[i];
        if (rest < 0) return i;
      }
      return p.findLastIndex((chance) => chance > 0); // a u so near to 1 that the sum has no room for it
    },
    below: (bound) => random() < bound,
    atMost: (bound) => Math.floor(U_VALUES * random()) / U_VALUES <= bound,
  };
}

/** Runs something once for every way in which chance can fall, and adds up the probabilities of what comes of it.
 * Whatever is asked of chance is answered by each outcome that has a probability, one run after the other.
 * @template Result @param {(chance: Chance) => Result} run must ask the same again where it was answered the same
 * @returns {{ result: Result, chance: number }[]} */
export function enumerateOutcomes(run) {
  /**
   * @type {{ at: number, outcomes: [number, number][] }[]} the questions of a run, and which outcome it takes of each
   */
  const path = [];
  const results = [];
  do {
    let depth = 0;
    const choose = (/** @type {() => [number, number][]} */ outcomes) => {
      if (depth === path.length) path.push({ at: 0, outcomes: outcomes().filter(([, chance]) => chance > 0) });
      const { at, outcomes: known } = path[depth++];
      return known[at][0];
    };
    const coin = (/** @type {number} */ yes) =>
      choose(() => [
        [1, yes],
        [0, 1 - yes],
      ]) === 1;
    const result = run({
      pick: (p) => choose(() => p.map((chance, i) => [i, chance])),
      below: (bound) => coin(Math.min(1, bound)),
      atMost: (bound) => coin(Math.min(U_VALUES, Math.floor(U_VALUES * bound) + 1) / U_VALUES),
    });
    results.push({ result, chance: path.reduce((all, { at, outcomes }) => all * outcomes[at][1], 1) });
    while (path.length && path[path.length - 1].at === path[path.length - 1].outcomes.length - 1) path.pop();
    if (path.length) path[path.length - 1].at += 1;
  } while (path.length);
  return results;
}
