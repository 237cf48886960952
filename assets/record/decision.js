// The K that pays, from acceptance by position and what drafting and checking cost, as specviz/picture/record.py has
// it: tests/assets/record/decided.json holds both together.

import { tokensOf } from "../trace/events.js";

/** @import { Costs, Evidence, Flags } from "./types.js" */

const MOST_K = 15; // the largest that is tried
const EQUAL = 1e-9; // closer is rounding

/**
 * Costs of which two numbers are known, v at a block of K drafts: a line from 1 through v, and v from one draft on.
 * @param {number} K @param {number} c @param {number} v @returns {Costs[]}
 */
export function byNumbers(K, c, v) {
  const passes = (/** @type {(n: number) => number} */ cost) => Array.from({ length: MOST_K + 1 }, (_, n) => cost(n));
  return [
    { c, v: passes((n) => 1 + ((v - 1) * n) / K) },
    { c, v: passes((n) => (n ? v : 1)) },
  ];
}

/** @param {number[]} chances @param {number} K @param {Costs} costs */
const speedup = (chances, K, { c, v }) => tokensOf(chances, K) / (K * c + v[K]);

/** @param {number[]} byK */
const bestOf = (byK) => byK.reduce((best, value, K) => (value > byK[best] * (1 + EQUAL) ? K : best), 0);

/**
 * The first of the costs is the middle one, the others are the ends of what is assumed.
 * @param {Evidence} evidence @param {Costs[]} costs
 */
export function decisionOf(evidence, costs) {
  const limit = Math.min(evidence.middle.length, ...costs.map(({ v }) => v.length - 1));
  const Ks = Array.from({ length: limit + 1 }, (_, K) => K);
  const table = [evidence.low, evidence.middle, evidence.high].map((chances) =>
    costs.map((each) => Ks.map((K) => speedup(chances, K, each))),
  );
  const best = bestOf(table[1][0]);
  const bests = table.flat().map(bestOf);
  const by_K = Ks.map((K) => [
    Math.min(...table[0].map((row) => row[K])),
    table[1][0][K],
    Math.max(...table[2].map((row) => row[K])),
  ]);
  const pays = best > 0 && by_K[best][0] > 1;
  const never = Math.max(...by_K.slice(1).map(([, , high]) => high)) <= 1;
  const recorded = Math.min(evidence.measured, limit);
  return {
    verdict: /** @type {"pays" | "none" | "open"} */ (pays ? "pays" : never ? "none" : "open"),
    best,
    Ks: [Math.min(...bests), Math.max(...bests)],
    /** low, middle, high */
    speedup: by_K[best || Math.max(1, recorded)],
    now: by_K[recorded],
    by_K,
  };
}

/**
 * What to measure next where the decision is open: a larger K, or what makes the interval widest.
 * @param {Evidence} evidence @param {Costs[]} costs @returns {"K" | "costs" | "acceptance"}
 */
export function nextMeasurement(evidence, costs) {
  const [low, middle, high] = [evidence.low, evidence.middle, evidence.high].map((level) =>
    level.slice(0, evidence.measured),
  );
  if (decisionOf({ ...evidence, low, middle, high }, costs).verdict !== "open")
    return evidence.rare ? "acceptance" : "K";
  const exact = decisionOf({ ...evidence, low: evidence.middle, high: evidence.middle }, costs).speedup;
  const certain = decisionOf(evidence, costs.slice(0, 1)).speedup;
  return exact[2] - exact[0] > certain[2] - certain[0] ? "costs" : "acceptance";
}

/** A K as the flag of the engine (specviz/picture/record.py). @param {Flags | null} flags @param {number} K */
export const flagText = (flags, K) =>
  flags && (K ? flags.one.replaceAll("[K1]", String(K + 1)).replaceAll("[K]", String(K)) : flags.off);
