// How much of a speedup is luck: settings under many seeds, the first seed as often again (specviz/lab/luck.py).

import { bootstrap, deviation, runsToKnow, runsToTell, spread } from "./spread.js";

/** @import { LuckRun, LuckResult, Measure } from "../../lab/luck/types.js" */
/** @import { Config } from "../types.js" */
/** @import { PairRunner } from "./pairs.js" */
/** @typedef {{ drafter: string, config: Config }} Setting */

const PRECISION = 0.05; // of the median
const FEWEST_RUNS = 4;
const MOST_RUNS = 10_000; // beyond which no number is given
/** @type {Measure[]} */
const MEASURES = ["alpha", "tokens_a_round", "speedup"];

/** Each with one run more: how far it is, and what sums up all runs so far.
 * @param {PairRunner} runPair @param {Setting[]} settings one, or two to compare @param {number} seeds
 * @returns {Generator<{ done: number, of: number, summary: () => Omit<LuckResult, "sentence"> }, void, void>} */
export function* luck(runPair, settings, seeds) {
  /** @type {[setting: number, n: number, again: boolean][]} */
  const plan = [];
  for (let n = 0; n < seeds; n++) {
    for (const i of settings.keys()) plan.push([i, n, false]);
    if (n) plan.push([0, 0, true]);
  }
  /** @type {LuckRun[]} */
  const dots = [];
  for (const [i, n, again] of plan) {
    const { drafter, config } = settings[i];
    const seed = (settings[0].config.seed + n) % 2 ** 32;
    const { alpha, tokens_a_round, speedup, disturbed } = runPair(drafter, { ...config, seed });
    dots.push({ setting: i, seed, again, alpha, tokens_a_round, speedup: disturbed ? null : speedup, disturbed });
    yield { done: dots.length, of: plan.length, summary: () => summary(settings, dots) };
  }
}

/** @param {Setting[]} settings @param {LuckRun[]} all @returns {Omit<LuckResult, "sentence">} */
function summary(settings, all) {
  const dotsOf = (/** @type {number} */ i) => all.filter((dot) => dot.setting === i && !dot.again);
  const known = (/** @type {number} */ i, /** @type {Measure} */ measure) =>
    dotsOf(i).flatMap((dot) => dot[measure] ?? []);
  const same = [...dotsOf(0).slice(0, 1), ...all.filter((dot) => dot.again)].flatMap((dot) => dot.speedup ?? []);
  const seconds = new Map(dotsOf(1).map((dot) => [dot.seed, dot.speedup]));
  const ratios = dotsOf(0).flatMap(({ seed, speedup }) => {
    const second = seconds.get(seed);
    return speedup && second ? speedup / second : [];
  });
  const logs = known(0, "speedup").map(Math.log);
  let needed = Infinity;
  if (settings.length === 2 && ratios.length >= FEWEST_RUNS) needed = runsToTell(ratios.map(Math.log));
  else if (settings.length === 1 && logs.length >= FEWEST_RUNS) needed = runsToKnow(logs, PRECISION);
  return {
    settings: settings.map(({ drafter, config: { K, temperature, verifier, drafting } }) => {
      return { drafter, K, temperature, verifier, drafting };
    }),
    dots: [...all],
    spreads: settings.map(
      (_, i) =>
        /** @type {LuckResult["spreads"][number]} */ (
          Object.fromEntries(MEASURES.map((measure) => [measure, spread(known(i, measure))]))
        ),
    ),
    same: spread(same),
    clock: clockShare(same.map(Math.log), logs, settings[0].config.temperature === 0),
    ratio: spread(ratios),
    needed: needed > MOST_RUNS ? null : Math.ceil(needed),
    disturbed: all.filter((dot) => dot.disturbed).length,
  };
}

/** The clock's share of the variance of the speedup, and its interval. @param {number[]} same logarithms
 * @param {number[]} seeds logarithms @param {boolean} greedy nothing else can differ
 * @returns {[number, number, number] | null} */
function clockShare(same, seeds, greedy) {
  if (Math.min(same.length, seeds.length) < FEWEST_RUNS) return null;
  if (greedy) return [1, 1, 1];
  const share = (/** @type {number[][]} */ [again, all]) => {
    const whole = deviation(all);
    return whole ? Math.min(1, (deviation(again) / whole) ** 2) : 1;
  };
  return [share([same, seeds]), ...bootstrap([same, seeds], share)];
}
