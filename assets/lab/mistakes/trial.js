// A rule that is drawn from: what came so far, and how its distance from p went.

import { mulberry } from "../../shared/random.js";
import { samplingChance } from "./chance.js";
import { distance } from "./distributions.js";

/** @import { Case, Distribution, Rule } from "./types.js" */

const FIRST = 100; // draws before the first point of the curve
const STEP = 1.2; // from one point to the next

/** @typedef {ReturnType<typeof makeTrial>} Trial */

/**
 * `exact` and `off`: the distribution of the rule itself and its distance from p, by enumeration.
 * @param {Case} now @param {Rule} rule @param {number} seed
 */
export function makeTrial(now, rule, seed) {
  const chance = samplingChance(mulberry(seed));
  const exact = now.exact(rule);
  let next = FIRST;
  const trial = {
    rule,
    n: 0,
    counts: now.p.map(() => 0),
    curve: /** @type {[n: number, off: number][]} */ ([]),
    exact,
    off: distance(exact, now.p),
    /** @param {number} times */
    draw(times) {
      const until = trial.n + times;
      while (trial.n < until) {
        for (; trial.n < Math.min(until, next); trial.n++) trial.counts[now.draw(rule, chance)] += 1;
        if (trial.n < next) break;
        trial.curve.push([trial.n, offOf(trial, now.p)]);
        next = Math.ceil(next * STEP);
      }
    },
  };
  return trial;
}

/** How far what came is from p. @param {Pick<Trial, "n" | "counts">} trial @param {Distribution} p */
export function offOf({ n, counts }, p) {
  return distance(
    counts.map((k) => k / n),
    p,
  );
}

/**
 * How far n draws of p itself are from it in the mean: ½ Σ E|k/n − p|, each k as good as normal.
 * @param {Distribution} p @param {number} n
 */
export function byLuck(p, n) {
  return p.reduce((sum, x) => sum + Math.sqrt((2 * x * (1 - x)) / (Math.PI * n)), 0) / 2;
}
