// What is drawn again and again: the token at one position, or a whole text of a small language, with the distribution
// of each rule. And where the rules' chance comes from: a seeded generator, or every way there is, each with its
// probability.

/** @import { Case, Chance, Distribution, Model, Rule } from "./types.js" */

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

/**
 * Every text of so many tokens, written in rounds of at most K drafts; what the last round writes beyond is cut off.
 * @param {string[]} tokens @param {Model} model @param {number} length @param {number} K @returns {Case}
 */
export function textsCase(tokens, model, length, K) {
  const all = allTexts(tokens.length, length);
  const indexOfText = (/** @type {readonly number[]} */ text) =>
    text.slice(0, length).reduce((n, x) => n * tokens.length + x, 0);
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

/**
 * Runs something once for every way in which chance can fall, and adds up the probabilities of what comes of it.
 * Whatever is asked of chance is answered by each outcome that has a probability, one run after the other.
 * @template Result @param {(chance: Chance) => Result} run must ask the same again where it was answered the same
 * @returns {{ result: Result, chance: number }[]}
 */
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
