// Where an axis of numbers has marks, and how they are written.

import { number } from "../shared/numbers.js";

/**
 * Round numbers from below `low` to above `high`, about so many steps.
 * @param {number} low @param {number} high @param {number} about @returns {number[]}
 */
export function roundNumbers(low, high, about) {
  const span = Math.max(high - low, 1e-9);
  const rough = span / about;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough * 0.999) ?? 10 * ten;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/** The round numbers from `from` to `to`. @param {number} from @param {number} to @param {number} about */
export const roundNumbersInside = (from, to, about) =>
  roundNumbers(from, to, about).filter((value) => value >= from && value <= to * (1 + 1e-9));

/** Writes numbers with the digits that tell these apart. @param {number[]} at */
export function numberWriter(at) {
  const step = at.length > 1 ? at[1] - at[0] : 1;
  const digits = Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)));
  return (/** @type {number} */ value) => number(value, digits);
}
