// Whether the times of a run can be trusted: signs that something else had the machine (specviz/trace/disturbed.py).

import { decodedRounds, finishedOf, median, roundMs, sum } from "./events.js";

/** @import { LaneName, Round, PhaseTimes, Trace } from "./types.js" */
/** @typedef {"processor" | "stalled" | "cheap" | "unlike" | "apart"} Kind */
/** @typedef {{ drafted: { length: number }, times: PhaseTimes }} TimedRound */
/** @typedef {{ kind: Kind, lane: LaneName | null, value: number }} Sign */

const MIN_SHARE = 0.9; // at least
export const MAX_STALLED = 0.15;
const SLOW = 1.5;
export const MIN_ROUND_COST = 0.95;
const ALIKE = 1.2;
/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];

/** All that speak against the times of a trace. @param {Trace} trace @returns {Sign[]} */
export function signs(trace) {
  /** @type {Sign[]} */
  const ofLanes = [];
  for (const lane of LANES) {
    const share = processorShare(trace, lane);
    const stalled = stalledShare(decodedRounds(trace[lane]));
    if (share !== null && share < MIN_SHARE) ofLanes.push({ kind: "processor", lane, value: share });
    if (stalled > MAX_STALLED) ofLanes.push({ kind: "stalled", lane, value: stalled });
  }
  return [...ofLanes, ...impossible(trace)];
}

/** What cannot be: a round that is cheaper than the one pass of the target in it. @param {Trace} trace
 * @returns {Sign[]} */
function impossible(trace) {
  const [vanilla, speculative] = LANES.map((lane) => decodedRounds(trace[lane]));
  const tokens = sum(vanilla.map(({ emitted }) => emitted.length));
  const ms = sum(vanilla.map(roundMs));
  if (!speculative.length || !tokens || !ms) return [];
  const cost = sum(speculative.map(roundMs)) / speculative.length / (ms / tokens);
  if (!cost) return [];
  const alike = (/** @type {number} */ value) => value >= 1 / ALIKE && value <= ALIKE;
  if (!speculative.some(({ drafted }) => drafted.length))
    return alike(cost) ? [] : [{ kind: "unlike", lane: null, value: 1 / cost }];
  const apart = slowness(vanilla) / slowness(speculative);
  /** @type {Sign[]} */
  const cheap = cost < MIN_ROUND_COST ? [{ kind: "cheap", lane: null, value: cost }] : [];
  return alike(apart) ? cheap : [...cheap, { kind: "apart", lane: null, value: apart }];
}

/** The median share of its time in which the lane's thread had a processor. @param {Trace} trace
 * @param {LaneName} lane */
function processorShare(trace, lane) {
  const finished = finishedOf(trace[lane]);
  const { repeats } = trace.header;
  const times = repeats.length ? repeats.map((repeat) => repeat[lane]) : finished ? [finished] : [];
  const shares = times.flatMap(({ decode_ms: ms, processor_ms }) =>
    processor_ms !== null && ms ? [processor_ms / ms] : [],
  );
  return shares.length ? median(shares) : null;
}

/** The share of a lane's time beyond SLOW times what such a round usually takes, and beyond the `step` of a clock, in
 * ms. @param {TimedRound[]} rounds */
export function stalledShare(rounds, step = 0) {
  const usual = usualMs(rounds);
  const whole = sum(rounds.map(roundMs));
  return whole ? sum(rounds.map((round, i) => Math.max(0, roundMs(round) - SLOW * usual[i] - step))) / whole : 0;
}

/** @param {Round[]} rounds */
function slowness(rounds) {
  const usual = sum(usualMs(rounds));
  return usual ? sum(rounds.map(roundMs)) / usual : 1;
}

/** For each round the median ms of all that drafted as many tokens. @param {TimedRound[]} rounds */
export function usualMs(rounds) {
  /** @type {Map<number, number[]>} */
  const bySize = new Map();
  for (const round of rounds) {
    const { length } = round.drafted;
    bySize.set(length, [...(bySize.get(length) ?? []), roundMs(round)]);
  }
  const medians = new Map([...bySize].map(([size, ms]) => [size, median(ms)]));
  return rounds.map(({ drafted }) => medians.get(drafted.length) ?? 0);
}
