// What is drawn again and again: the token at one position, or a whole text of a small language, with
// the distribution of each rule.

import { enumerateOutcomes } from "./chance.js";

/** @import { Case, Chance, Distribution, Model, Rule } from "./types.js" */

/** @param {string[]} names @param {Distribution} p @param {Distribution} q @returns {Case} */
export function position(names, p, q) {
  const model = { p: () => p, q: () => q };
  const once = (/** @type {Rule} */ rule, /** @type {Chance} */ chance) =>
    rule.token ? rule.token(p, q, chance) : { x: rule.round([], 1, model, chance)[0], stays: false };
  return {
    names,
    tokens: names,
    p,
    q,
    exact(rule) {
      const exact = p.map(() => 0);
      for (const { result, chance } of enumerateOutcomes((c) => once(rule, c))) exact[result.x] += chance;
      return exact;
    },
    kept(rule) {
      const stays = rule.token && mean(enumerateOutcomes((c) => Number(once(rule, c).stays)));
      return { stays, tokens: mean(enumerateOutcomes((c) => rule.round([], 1, model, c).length)) };
    },
    draw: (rule, chance) => once(rule, chance).x,
  };
}

/**
 * Every text of so many tokens, written in rounds of at most K drafts; what the last round writes beyond is cut off.
 * @param {string[]} tokens @param {Model} model @param {number} length @param {number} K @returns {Case}
 */
export function texts(tokens, model, length, K) {
  const all = every(tokens.length, length);
  const place = (/** @type {readonly number[]} */ text) =>
    text.slice(0, length).reduce((n, x) => n * tokens.length + x, 0);
  return {
    names: all.map((text) => text.map((x) => tokens[x]).join("")),
    tokens,
    p: all.map((text) => text.reduce((chance, x, i) => chance * model.p(text.slice(0, i))[x], 1)),
    exact(rule) {
      const exact = all.map(() => 0);
      /** @param {number[]} text @param {number} so how likely it is to come here */
      function go(text, so) {
        if (text.length >= length) exact[place(text)] += so;
        else
          for (const way of enumerateOutcomes((c) => rule.round(text, K, model, c)))
            go([...text, ...way.result], so * way.chance);
      }
      go([], 1);
      return exact;
    },
    kept: (rule) => ({ stays: null, tokens: mean(enumerateOutcomes((c) => rule.round([], K, model, c).length)) }),
    draw(rule, chance) {
      /** @type {number[]} */
      const text = [];
      while (text.length < length) text.push(...rule.round(text, K, model, chance));
      return place(text);
    },
  };
}

/** @param {{ result: number, chance: number }[]} ways */
const mean = (ways) => ways.reduce((sum, { result, chance }) => sum + result * chance, 0);

/** @param {number} tokens @param {number} length @returns {number[][]} in order */
function every(tokens, length) {
  if (length === 0) return [[]];
  return every(tokens, length - 1).flatMap((text) => Array.from({ length: tokens }, (_, x) => [...text, x]));
}
