// Both lanes again, by turns, while that is cheap: the run of the middle speedup is shown, the times of all are kept
// (specviz/engine/race.py).

import { MAX_STALLED, stalledShare } from "../trace/disturbed.js";
import { finishedOf, median, roundsOf, sum } from "../trace/events.js";

/** @import { Event, LaneName, Lanes } from "./types.js" */
/** @import { Part } from "../shared/types.js" */

const LIMIT_SECONDS = 1; // for all repeats together
const MAX_RUNS = 15;
const LANES = /** @type {LaneName[]} */ (["vanilla", "speculative"]);

/** Whole runs after the `first`, each what `run` gives, as long as one more fits. @param {Lanes} first
 * @param {() => Generator<[LaneName, Event], void, void>} run
 * @param {() => boolean} enough @returns {Generator<Lanes, void, void>} */
export function* repeatLanes(first, run, enough) {
  const firstSeconds = seconds(first);
  let left = LIMIT_SECONDS;
  for (let i = 1; i < MAX_RUNS && firstSeconds !== null && firstSeconds <= left && !enough(); i++) {
    /** @type {Lanes} */
    const repeat = { vanilla: [], speculative: [] };
    for (const [lane, event] of run()) repeat[lane].push(event);
    const repeatSeconds = seconds(repeat);
    if (repeatSeconds === null || tokenIds(repeat) !== tokenIds(first)) return;
    yield repeat;
    left -= repeatSeconds;
  }
}

/** The run of the middle speedup, of two such the slower one, and the times of all in their order; none where there
 * is one run. Of a coarse clock a `note` says how its times were found.
 * @param {Lanes[]} runs @param {number} step of the clock, in ms; 0 where it is fine */
export function medianRun(runs, step) {
  const coarse = step && `the browser's clock steps by ${step.toFixed(1)} ms`;
  if (runs.length === 1) return { run: runs[0], repeats: [], note: coarse || "" };
  const ms = (/** @type {Lanes} */ run, /** @type {LaneName} */ lane) => finishedOf(run[lane])?.decode_ms ?? 0;
  const clocked = (/** @type {number} */ decode_ms) => ({ decode_ms, processor_ms: null });
  const repeats = runs.map((run) => ({
    vanilla: clocked(ms(run, "vanilla")),
    speculative: clocked(ms(run, "speculative")),
  }));
  const speedup = (/** @type {number} */ i) =>
    repeats[i].vanilla.decode_ms / Math.max(1e-9, repeats[i].speculative.decode_ms);
  const slowestFirst = runs.map((_, i) => i).sort((a, b) => speedup(a) - speedup(b));
  const run = runs[slowestFirst[(runs.length - 1) >> 1]];
  if (!coarse || !isQuiet(runs, step)) return { run, repeats, note: coarse || "" };
  const note = `${coarse}, so a phase of a round is shown as its mean in ${runs.length} runs`;
  return {
    run: { vanilla: averagedPhases(runs, run, "vanilla"), speculative: averagedPhases(runs, run, "speculative") },
    repeats,
    note,
  };
}

/** Whether no lane usually lost much time in rounds far slower than its others. @param {Lanes[]} runs
 * @param {number} step */
const isQuiet = (runs, step) =>
  LANES.every((lane) => median(runs.map((run) => stalledShare(roundsOf(run[lane]), step))) <= MAX_STALLED);

/** The lane of `run` with each phase of a round as its mean in all runs, which have the same rounds: the steps of a
 * coarse clock fall otherwise in each. All together they take what the lane of `run` took.
 * @param {Lanes[]} runs @param {Lanes} run @param {LaneName} lane @returns {Event[]} */
function averagedPhases(runs, run, lane) {
  const all = runs.map((one) => roundsOf(one[lane]));
  const means = all[0].map((_, i) => {
    const mean = (/** @type {Part} */ phase) => sum(all.map((rounds) => rounds[i].times[phase])) / runs.length;
    return { draft: mean("draft"), verify: mean("verify"), decide: mean("decide"), rest: mean("rest") };
  });
  const whole = sum(means.map(({ draft, verify, decide, rest }) => draft + verify + decide + rest));
  const scale = whole ? (finishedOf(run[lane])?.decode_ms ?? 0) / whole : 0;
  let i = 0;
  return run[lane].map((event) => {
    if (event.event !== "round") return event;
    const { draft, verify, decide, rest } = means[i++];
    const phases = { draft: scale * draft, verify: scale * verify, decide: scale * decide, rest: scale * rest };
    return { ...event, times: { ...event.times, ...phases } };
  });
}

/** What a whole run took, all of it; null where it ended early. @param {Lanes} run */
function seconds(run) {
  let ms = 0;
  for (const lane of LANES) {
    const end = finishedOf(run[lane]);
    if (!end || end.reason === "cancelled" || end.reason === "error") return null;
    ms += end.prefill_ms + end.decode_ms + end.observe_ms;
  }
  return ms / 1e3;
}

/** @param {Lanes} run */
function tokenIds(run) {
  return LANES.map((lane) => roundsOf(run[lane]).flatMap(({ emitted }) => emitted.map(({ token }) => token.id))).join();
}
