// The chance of a draft token to stay, by rule, of p and q at one position (specviz/acceptance.py, chances).

import { bar, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";

/** @import { Chances } from "../../shared/types.js" */

const ROUNDING = 1e-9;
const STEP = 100; // hundredths, as the hands move

/** @type {(keyof Chances)[]} */
const RULES = ["rejection", "match", "argmax"];

/** Where the largest stands; of equal ones the first. @param {number[]} chances */
export const largestIndex = (chances) => chances.indexOf(Math.max(...chances));

/**
 * Drawn from q and tested by p/q, drawn and matched, the largest of q; and `equal`: whether at temperature 0, where p
 * and q are their largest alone, the draft token stays.
 * @param {number[]} p @param {number[]} q @returns {Chances & { equal: boolean }}
 */
export function chancesOf(p, q) {
  const sum = (/** @type {(i: number) => number} */ of) => p.reduce((all, _, i) => all + of(i), 0);
  const rejection = sum((i) => Math.min(p[i], q[i]));
  const match = sum((i) => p[i] * q[i]);
  return { rejection, match, argmax: p[largestIndex(q)], equal: largestIndex(p) === largestIndex(q) };
}

/** The rules that keep most; more than one where they keep alike. @param {Chances} chances */
export function bestRules(chances) {
  const top = Math.max(...RULES.map((rule) => chances[rule]));
  return RULES.filter((rule) => chances[rule] > top - ROUNDING);
}

/**
 * Three chances after the one at `index` was moved: the third is what is left, and where nothing is left the other
 * gives way. In hundredths.
 * @param {number[]} chances @param {0 | 1} index @param {number} value
 */
export function shiftMass(chances, index, value) {
  const one = Math.round(value * STEP);
  const other = Math.min(Math.round(chances[1 - index] * STEP), STEP - one);
  const pair = index ? [other, one] : [one, other];
  return [...pair, STEP - one - other].map((n) => n / STEP);
}

/** What a rule is called. @param {keyof Chances} rule */
const ruleName = (rule) => ({ rejection: PAGE.rule_rejection, match: PAGE.rule_match, argmax: PAGE.rule_argmax })[rule];

/** A row a rule; the rule that keeps most is marked. Temperature 0 has a row of its own. */
export function makeMatrix() {
  const rows = el("div.sv-bars");
  return {
    root: el("div.lrn-by-rule", null, el("h4", null, PAGE.rules), rows),
    /** @param {Chances & { equal: boolean }} chances */
    show(chances) {
      const best = bestRules(chances);
      const sampled = RULES.map((rule) => chanceRow(ruleName(rule), chances[rule], best.includes(rule)));
      rows.replaceChildren(
        ...sampled,
        row(PAGE.rule_equal, bar("target", Number(chances.equal), 1), [
          chances.equal ? PAGE.rule_always : PAGE.rule_never,
        ]),
      );
    },
  };
}

/** @param {string} name @param {number} chance @param {boolean} best */
function chanceRow(name, chance, best) {
  const value = best ? fillText(PAGE.rule_most, { chance: number(chance, 2) }) : number(chance, 2);
  return row(name, bar("shared", chance, 1), [value], best);
}
