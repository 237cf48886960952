// The chance of a draft token to stay, by rule, of p and q at one position (specviz/acceptance.py, chances).

/** @import { Chances } from "../../shared/types.js" */

const ROUNDING = 1e-9;
const STEP = 100; // hundredths, as the hands move

/** @type {(keyof Chances)[]} */
export const RULES = ["rejection", "match", "argmax"];

/** Where the largest stands; of equal ones the first. @param {number[]} chances */
export const largest = (chances) => chances.indexOf(Math.max(...chances));

/**
 * Drawn from q and tested by p/q, drawn and matched, the largest of q; and `equal`: whether at temperature 0, where p
 * and q are their largest alone, the draft token stays.
 * @param {number[]} p @param {number[]} q @returns {Chances & { equal: boolean }}
 */
export function chancesOf(p, q) {
  const sum = (/** @type {(i: number) => number} */ of) => p.reduce((all, _, i) => all + of(i), 0);
  const rejection = sum((i) => Math.min(p[i], q[i]));
  const match = sum((i) => p[i] * q[i]);
  return { rejection, match, argmax: p[largest(q)], equal: largest(p) === largest(q) };
}

/** The rules that keep most; more than one where they keep alike. @param {Chances} chances */
export function most(chances) {
  const top = Math.max(...RULES.map((rule) => chances[rule]));
  return RULES.filter((rule) => chances[rule] > top - ROUNDING);
}

/**
 * Three chances after one of the first two was moved: the third is what is left, and where nothing is left the other
 * gives way. In hundredths.
 * @param {number[]} chances @param {0 | 1} moved @param {number} value
 */
export function shiftMass(chances, moved, value) {
  const one = Math.round(value * STEP);
  const other = Math.min(Math.round(chances[1 - moved] * STEP), STEP - one);
  const pair = moved ? [other, one] : [one, other];
  return [...pair, STEP - one - other].map((n) => n / STEP);
}
