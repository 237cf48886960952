// Whether the times of a run can be trusted: signs that something else had the machine (specviz/trace/disturbed.py).

import { decodedRounds, finishedOf, LANES, median, roundMs, sum } from "./events.js";

/** @import { Event, LaneName, PhaseTimes, Round, Trace } from "./types.js" */

/** @typedef {"processor" | "stalled" | "cheap" | "unlike" | "apart"} Kind */
/** @typedef {{ drafted: { length: number }, times: PhaseTimes }} TimedRound */
/** @typedef {{ kind: Kind, lane: LaneName | null, value: number }} Sign */

const MIN_SHARE = 0.9; // at least
export const MAX_STALLED = 0.15;
const SLOW = 1.5;
export const MIN_ROUND_COST = 0.95;
const ALIKE = 1.2;

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
  const end = finishedOf(trace[lane]);
  const { repeats } = trace.header;
  const times = repeats.length ? repeats.map((repeat) => repeat[lane]) : end ? [end] : [];
  const shares = times.flatMap(({ decode_ms: ms, processor_ms }) => (processor_ms !== null && ms ? [processor_ms / ms] : []));
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

// A run beside other programs, by the clock that they do not move: the processor time of the thread that decoded. Each
// lane takes that time, shared among its rounds and their phases as the median round of that size has them: what a
// single round took says how long it waited.

const PHASES = /** @type {const} */ (["draft", "verify", "decide", "rest"]);

/** The run by processor time; null where that is not known, or cannot be right either. A device beside the processor
 * has a clock of its own, of which this one knows nothing. @param {Trace} trace @returns {Trace | null} */
export function byProcessorTime(trace) {
  const { header, vanilla, speculative } = trace;
  const ends = LANES.map((lane) => finishedOf(trace[lane]));
  if (!ends.every((end) => end?.processor_ms && end.device_ms === null)) return null;
  const repeats = header.repeats.map((repeat) => ({
    vanilla: { ...repeat.vanilla, decode_ms: repeat.vanilla.processor_ms ?? 0 },
    speculative: { ...repeat.speculative, decode_ms: repeat.speculative.processor_ms ?? 0 },
  }));
  const timed = { header: { ...header, repeats }, vanilla: laneOf(vanilla), speculative: laneOf(speculative) };
  return signs(timed).length ? null : timed;
}

/** @param {Event[]} events @returns {Event[]} */
function laneOf(events) {
  const rounds = decodedRounds(events);
  const processorMs = finishedOf(events)?.processor_ms ?? 0;
  const usual = usualMs(rounds);
  const scale = processorMs / (sum(usual) || 1);
  const ms = new Map(rounds.map((round, i) => [round, scale * usual[i]]));
  /** @type {Map<number, Record<string, number>>} */
  const shares = new Map();
  return events.map((event) => {
    if (event.event === "finished") return { ...event, decode_ms: processorMs };
    const wholeMs = event.event === "round" ? ms.get(event) : undefined;
    if (event.event !== "round" || wholeMs === undefined) return event;
    const { length } = event.drafted;
    const phases = shares.get(length) ?? sharesOf(rounds.filter(({ drafted }) => drafted.length === length));
    shares.set(length, phases);
    const times = { ...event.times };
    for (const phase of PHASES) if (times[phase] !== null) times[phase] = wholeMs * phases[phase];
    return { ...event, times };
  });
}

/** Of each phase its share of a usual round. @param {Round[]} rounds of one size @returns {Record<string, number>} */
function sharesOf(rounds) {
  const usual = PHASES.map((phase) => median(rounds.map(({ times }) => times[phase] ?? 0)));
  const whole = sum(usual) || 1;
  return Object.fromEntries(PHASES.map((phase, i) => [phase, usual[i] / whole]));
}
