// Numbers as a person writes them: enough digits to compare, no more.

import { WORDS } from "./words.js";

/** @type {Record<number, Intl.NumberFormat>} by decimals: to make one takes longer than to write a number */
const FORMATS = {};

/** @typedef {number | null | undefined} Known a number, or none where a run does not have it */

/** @param {Known} value @param {number} digits */
export function number(value, digits) {
  if (value === null || value === undefined) return WORDS.none;
  if (value === 0) return "0";
  if (Math.abs(value) < 0.5 * 10 ** -digits) return `<${(10 ** -digits).toFixed(digits)}`;
  FORMATS[digits] ??= new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return FORMATS[digits].format(value);
}

/**
 * Each as a sentence takes it.
 * @template Value @param {Record<string, Value>} values @param {(value: Value) => string} format
 */
export const formatted = (values, format) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, format(value)]));

/** Each with two decimals. @param {Record<string, Known>} values */
export const rounded = (values) => formatted(values, (value) => number(value, 2));

/**
 * A probability, a ratio of two or a uniform: three decimals, and two digits at least, so that p/q can be checked by
 * eye.
 * @param {Known} value
 */
export function probability(value) {
  if (!value || value >= 0.01) return number(value, 3);
  return value < 1e-5 ? value.toExponential(1) : value.toPrecision(2);
}

/** @param {Known} value a share of 1 */
export function percent(value) {
  return value === null || value === undefined ? WORDS.none : `${number(100 * value, 1)} %`;
}

/** @param {number} value */
export function milliseconds(value) {
  return number(value, value >= 100 ? 0 : value < 10 ? 2 : 1);
}

/** A time in UTC to the minute; any other as it stands. @param {string} created ISO 8601 */
export const minute = (created) => created.replace(/^([\d-]+)T(\d\d:\d\d)(:[\d.]+)?(\+00:00|Z)$/, "$1 $2 UTC");

/** A factor. @param {Known} value */
export function times(value) {
  return value === null || value === undefined ? WORDS.none : `${number(value, 2)}×`;
}
