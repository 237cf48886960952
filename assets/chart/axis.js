// Axes of a chart: where a value stands between two ends, and the marks beside it.

import { numberWriter, roundNumbers, roundNumbersInside } from "./ticks.js";

/** @import { Axis } from "./types.js" */

/** @type {Axis} */
const PLAIN = { name: "", ends: null, ticks: [], place: () => 0, lines: true, down: false, inside: false, over: false };

/**
 * From a round number below `low` to one above `high`, in about so many steps.
 * @param {number} low @param {number} high @param {number} about @param {string} [name] @returns {Axis}
 */
export function linear(low, high, about, name) {
  const at = roundNumbers(low, high, about);
  return between(at[0], at[at.length - 1], at, name);
}

/**
 * From `from` to `to`, with the round numbers between them.
 * @param {number} from @param {number} to @param {number} about @param {string} [name]
 * @param {(value: number) => string} [write] @returns {Axis}
 */
export function exact(from, to, about, name, write) {
  const at = roundNumbersInside(from, to, about);
  return between(from, to, at, name, write ?? numberWriter(at));
}

/** From `from` to `to`, with marks at these values. @param {number} from @param {number} to @param {number[]} at
 * @param {string} [name] @param {(value: number) => string} [write] @returns {Axis} */
export function between(from, to, at, name = "", write = numberWriter(at)) {
  const span = to - from || 1;
  return {
    ...PLAIN,
    name,
    ends: [write(from), write(to)],
    ticks: at.map((value) => ({ value, text: write(value) })),
    place: (value) => (value - from) / span,
  };
}

/** By powers of ten; what lies outside stands at an end. @param {number} from @param {number} to @param {string} [name]
 * @param {(value: number) => string} [write] @returns {Axis} */
export function logarithmic(from, to, name = "", write = String) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const powers = Math.floor(high + 1e-9) - Math.ceil(low - 1e-9) + 1;
  const at = Array.from({ length: powers }, (_, n) => 10 ** (Math.ceil(low - 1e-9) + n));
  const inside = (/** @type {number} */ value) => Math.min(to, Math.max(from, value));
  const place = (/** @type {number} */ value) => (Math.log10(inside(value)) - low) / (high - low || 1);
  return { ...between(from, to, at, name, write), place };
}

/** Values 0, 1, … at equal distances from end to end, each with its text; `every`: one tick for so many.
 * @param {string[]} texts @param {string} [name] @param {number} [every] @returns {Axis} */
export function steps(texts, name = "", every = 1) {
  const last = texts.length - 1;
  const ticks = texts.map((text, value) => ({ value, text })).filter(({ value }) => value % every === 0);
  return { ...PLAIN, name, ends: [texts[0], texts[last]], ticks, place: (value) => value / (last || 1), lines: false };
}

/** Values 0, 1, … with a row or column each, whose middle they are. @param {string[]} names
 * @param {Partial<Axis>} [more] @returns {Axis} */
export function bands(names, more) {
  const ticks = names.map((text, value) => ({ value, text }));
  return { ...PLAIN, ticks, place: (value) => (value + 0.5) / names.length, lines: false, down: true, ...more };
}
