// What is asked of a lane's events again and again (specviz/trace/events.py).

/** @import { Event, PhaseTimes, Prefill } from "./types.js" */

/** @template {{ event: string }} E @param {E[]} events @returns {Extract<E, { event: "round" }>[]} */
export const roundsOf = (events) => /** @type {any[]} */ (events.filter(({ event }) => event === "round"));

/** @param {Event[]} events */
export const prefillOf = (events) =>
  /** @type {Prefill | undefined} */ (events.find(({ event }) => event === "prefill"));

/** @template {{ event: string }} E @param {E[]} events @returns {Extract<E, { event: "finished" }> | undefined} */
export const finishedOf = (events) => /** @type {any} */ (events.find(({ event }) => event === "finished"));

/** The rounds that were decoded, each by a pass of its own: all, but for one that another engine's prefill wrote.
 * @param {Event[]} events */
export const decodedRounds = (events) => roundsOf(events).filter(({ fewer }) => fewer !== "prefill");

/** Milliseconds of a round, without what observing it took. @param {{ times: PhaseTimes }} round */
export const roundMs = ({ times }) => (times.draft ?? 0) + (times.verify ?? 0) + (times.decide ?? 0) + times.rest;

/** Whether the text is distributed as the target alone writes it. @param {{ K: number, temperature: number,
 * verifier: string, theta: number }} config @param {Record<string, { exact: boolean }>} rules */
export const isExact = (config, rules) =>
  config.temperature === 0 ||
  config.K === 0 ||
  rules[config.verifier].exact ||
  (config.verifier === "threshold" && config.theta === 1);

/** @param {readonly number[]} values */
export const sum = (values) => values.reduce((all, each) => all + each, 0);

/** @param {number[]} values */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Mean tokens a round if each draft token stays with chance α (Leviathan et al. 2022, eq. 1). @param {number} alpha
 * @param {number} K */
export const expectedTokens = (alpha, K) => sum(Array.from({ length: K + 1 }, (_, i) => alpha ** i));

/**
 * Mean tokens a step; one chance alone is α, the last stands for all after it.
 * @param {number[]} chances @param {number} K
 */
export function tokensOf(chances, K) {
  let total = 1;
  let reach = 1;
  for (let i = 0; i < K; i++) {
    reach *= chances[Math.min(i, chances.length - 1)];
    total += reach;
  }
  return total;
}
