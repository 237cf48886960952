// How sure a speedup is: an interval around it, from its repeats, or from the rounds of the one run there is.
//
// Repeats are whole runs of both lanes with the same tokens: the interval is the lowest and the highest of all. Where
// there are fewer than ENOUGH, rounds are drawn again (Efron 1979) in stretches of neighbours (Künsch 1989), since a
// machine that is slow now is slow for a while, each in units of what a round of its size usually takes: so which
// tokens were accepted, the luck of the seed, moves nothing. What slowed a whole lane is seen by repeats only.

import { Mersenne } from "../engine/twister.js";
import { usualMs } from "../trace/disturbed.js";
import { decodedRounds, roundMs, sum } from "../trace/events.js";

/** @import { Round, Trace } from "../trace/types.js" */
/** @typedef {{ low: number, high: number, runs: number }} Interval */

export const ENOUGH_REPEATS = 5; // the middle one of all runs lies between the ends of so many with chance 15/16
const RESAMPLES = 1000;
const LEVEL = 0.95;

/** @param {number[]} values @param {number} runs @returns {Interval} */
const rangeOf = (values, runs) => ({ low: Math.min(...values), high: Math.max(...values), runs: Math.max(1, runs) });

/** Around `speedup`, which is that of the events of the trace. @param {Trace} trace @param {number} speedup */
export function speedupInterval(trace, speedup) {
  const times = trace.header.repeats.map(({ vanilla, speculative }) => [vanilla.decode_ms, speculative.decode_ms]);
  const repeats = times.filter(([a, b]) => a > 0 && b > 0).map(([a, b]) => a / b);
  const speedups = [speedup, ...repeatedSpeedups(repeats, trace, speedup)];
  if (repeats.length < ENOUGH_REPEATS) speedups.push(...resampledSpeedups(trace, speedup));
  return rangeOf(speedups, times.length);
}

/** Ratios of times as speedups: lanes that were sampled may differ in length. @param {number[]} ratios
 * @param {Trace} trace @param {number} speedup */
function repeatedSpeedups(ratios, { vanilla, speculative }, speedup) {
  const [a, b] = [vanilla, speculative].map((lane) => sum(decodedRounds(lane).map(roundMs)));
  return a && b ? ratios.map((ratio) => (ratio * speedup * b) / a) : [];
}

/** The ends of the middle of speedups whose lanes' times were drawn again. @param {Trace} trace
 * @param {number} speedup */
function resampledSpeedups({ vanilla, speculative }, speedup) {
  const chance = new Mersenne(0);
  const a = slowness(decodedRounds(vanilla), chance);
  const b = slowness(decodedRounds(speculative), chance);
  return ends(a.map((each, i) => (speedup * each) / b[i]));
}

/** @param {number[]} samples */
function ends(samples) {
  const sorted = Float64Array.from(samples).sort();
  const out = Math.round((sorted.length * (1 - LEVEL)) / 2);
  return [sorted[out], sorted[sorted.length - 1 - out]];
}

/** RESAMPLES times: what a lane drawn again in stretches takes, in units of what this one took. @param {Round[]} rounds
 * @param {Mersenne} chance */
function slowness(rounds, chance) {
  const passMs = rounds.map(roundMs);
  const usual = usualMs(rounds);
  const stretch = Math.max(1, Math.floor(Math.sqrt(rounds.length)));
  if (!sum(usual) || !sum(passMs)) return Array(RESAMPLES).fill(1);
  const [ms, asUsual] = [stretches(passMs, stretch), stretches(usual, stretch)];
  const whole = sum(passMs) / sum(usual);
  const each = Math.ceil(rounds.length / stretch);
  return Array.from({ length: RESAMPLES }, () => {
    let [a, b] = [0, 0];
    for (let i = 0; i < each; i++) {
      const at = Math.floor(chance.random() * ms.length);
      a += ms[at];
      b += asUsual[at];
    }
    return a / Math.max(1e-9, b) / whole;
  });
}

/** The sums of all runs of `stretch` neighbours; the last has the first as its neighbour. @param {number[]} ms
 * @param {number} stretch */
function stretches(ms, stretch) {
  const sums = [0];
  for (const each of [...ms, ...ms.slice(0, stretch)]) sums.push(sums[sums.length - 1] + each);
  return ms.map((_, i) => sums[i + stretch] - sums[i]);
}
