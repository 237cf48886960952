// A run beside other programs, by the clock that they do not move: the processor time of the thread that decoded. Each
// lane takes that time, shared among its rounds and their phases as the median round of that size has them: what a
// single round took says how long it waited.

import { signs, usualMs } from "./disturbed.js";
import { decodedRounds, finishedOf, median, sum } from "./events.js";

/** @import { Event, LaneName, Round, Trace } from "./types.js" */

const LANES = /** @type {LaneName[]} */ (["vanilla", "speculative"]);
const PHASES = /** @type {const} */ (["draft", "verify", "decide", "rest"]);

/**
 * The run by processor time; null where that is not known, or cannot be right either. A device beside the processor has
 * a clock of its own, of which this one knows nothing.
 * @param {Trace} trace @returns {Trace | null}
 */
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
    const taken = event.event === "round" ? ms.get(event) : undefined;
    if (event.event !== "round" || taken === undefined) return event;
    const { length } = event.drafted;
    const phases = shares.get(length) ?? sharesOf(rounds.filter(({ drafted }) => drafted.length === length));
    shares.set(length, phases);
    const times = { ...event.times };
    for (const phase of PHASES) if (times[phase] !== null) times[phase] = taken * phases[phase];
    return { ...event, times };
  });
}

/** Of each phase its share of a usual round. @param {Round[]} rounds of one size @returns {Record<string, number>} */
function sharesOf(rounds) {
  const usual = PHASES.map((phase) => median(rounds.map(({ times }) => times[phase] ?? 0)));
  const whole = sum(usual) || 1;
  return Object.fromEntries(PHASES.map((phase, i) => [phase, usual[i] / whole]));
}
