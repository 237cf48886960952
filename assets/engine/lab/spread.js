// What many runs of one thing say together: the middle one, how sure that is, and how far apart they lie
// (specviz/lab/measure.py).

import { median, sum } from "../../trace/events.js";
import { Mersenne } from "../twister.js";

/** @import { Spread } from "../../lab/luck/types.js" */

const RESAMPLES = 1000;
const LEVEL = 0.95;

/** Null of no value. @param {number[]} values @returns {Spread | null} */
export function spread(values) {
  if (!values.length) return null;
  const [first, third] = quartiles(values);
  const [low, high] = bootstrap([values], ([sample]) => median(sample));
  return { median: median(values), low, high, first, third, runs: values.length };
}

/** @param {number[]} values @returns {[number, number]} */
function quartiles(values) {
  const sorted = Float64Array.from(values).sort();
  const quartile = (/** @type {number} */ quarter) => {
    const place = quarter * (sorted.length - 1);
    const [i, rest] = [Math.floor(place / 4), place % 4];
    return (sorted[i] * (4 - rest) + (sorted[i + 1] ?? 0) * rest) / 4;
  };
  return [quartile(1), quartile(3)];
}

/** The middle LEVEL of what `statistic` says of the groups drawn again, each with replacement; the same each time.
 * @param {number[][]} groups @param {(samples: number[][]) => number} statistic @returns {[number, number]} */
export function bootstrap(groups, statistic) {
  const random = new Mersenne(0);
  const resample = (/** @type {number[]} */ values) =>
    values.map(() => values[Math.floor(random.random() * values.length)]);
  const statistics = Float64Array.from({ length: RESAMPLES }, () => statistic(groups.map(resample))).sort();
  const tail = Math.round((RESAMPLES * (1 - LEVEL)) / 2);
  return [statistics[tail], statistics[RESAMPLES - 1 - tail]];
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
