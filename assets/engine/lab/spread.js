// What many runs of one thing say together: the middle one, how sure that is, and how far apart they lie
// (specviz/lab/spread.py).

import { median, sum } from "../../trace/events.js";
import { Mersenne } from "../mersenne.js";

/** @import { Spread } from "../../lab/luck/types.js" */

const DRAWS = 1000;
const LEVEL = 0.95;

/** Null of no value. @param {number[]} values @returns {Spread | null} */
export function spread(values) {
  if (!values.length) return null;
  const [first, third] = quartiles(values);
  const [low, high] = bootstrap([values], ([drawn]) => median(drawn));
  return { median: median(values), low, high, first, third, runs: values.length };
}

/** @param {number[]} values @returns {[number, number]} */
export function quartiles(values) {
  const sorted = Float64Array.from(values).sort();
  const at = (/** @type {number} */ quarter) => {
    const place = quarter * (sorted.length - 1);
    const [i, rest] = [Math.floor(place / 4), place % 4];
    return (sorted[i] * (4 - rest) + (sorted[i + 1] ?? 0) * rest) / 4;
  };
  return [at(1), at(3)];
}

/** The middle LEVEL of what `of` says of the groups drawn again, each with replacement; the same each time.
 * @param {number[][]} groups @param {(drawn: number[][]) => number} of @returns {[number, number]} */
export function bootstrap(groups, of) {
  const chance = new Mersenne(0);
  const again = (/** @type {number[]} */ values) =>
    values.map(() => values[Math.floor(chance.random() * values.length)]);
  const said = Float64Array.from({ length: DRAWS }, () => of(groups.map(again))).sort();
  const out = Math.round((DRAWS * (1 - LEVEL)) / 2);
  return [said[out], said[DRAWS - 1 - out]];
}

/** The standard deviation that a normal law of these quartiles has. @param {number[]} values */
export function deviation(values) {
  const [first, third] = quartiles(values);
  return (third - first) / 1.349;
}

/** How many differences like these tell them from 0 in four tries of five. @param {number[]} differences */
export function runsToTell(differences) {
  const mean = sum(differences) / differences.length;
  return mean ? Math.max(2, ((2.8 * deviation(differences)) / mean) ** 2) : Infinity;
}

/** How many values like these until the 95 % interval of their median is ± `within`. @param {number[]} values
 * @param {number} within */
export const runsToKnow = (values, within) =>
  Math.max(2, ((1.96 * Math.sqrt(Math.PI / 2) * deviation(values)) / within) ** 2);
