// Both lanes again, by turns, while that is cheap: the run of the middle speedup is shown, the times of all are kept
// (specviz/engine/repeats.py).

/** @import { Event, Finished, LaneName, Lanes } from "./types.js" */

const SECONDS = 1; // for all repeats together
const MOST = 15; // runs
const NAMES = /** @type {LaneName[]} */ (["vanilla", "speculative"]);

/** Whole runs after the `first`, each what `run` gives, as long as one more fits. @param {Lanes} first
 * @param {() => Generator<[LaneName, Event], void, void>} run
 * @param {() => boolean} enough @returns {Generator<Lanes, void, void>} */
export function* again(first, run, enough) {
  const one = seconds(first);
  let left = SECONDS;
  for (let i = 1; i < MOST && one !== null && one <= left && !enough(); i++) {
    /** @type {Lanes} */
    const repeat = { vanilla: [], speculative: [] };
    for (const [lane, event] of run()) repeat[lane].push(event);
    const took = seconds(repeat);
    if (took === null || tokens(repeat) !== tokens(first)) return;
    yield repeat;
    left -= took;
  }
}

/** The run of the middle speedup, of two such the slower one, and the times of all in their order; none where there
 * is one run.
 * @param {Lanes[]} runs */
export function middle(runs) {
  if (runs.length === 1) return { run: runs[0], repeats: [] };
  const ms = (/** @type {Lanes} */ run, /** @type {LaneName} */ lane) => ending(run, lane)?.decode_ms ?? 0;
  const clocked = (/** @type {number} */ decode_ms) => ({ decode_ms, processor_ms: null });
  const repeats = runs.map((run) => ({
    vanilla: clocked(ms(run, "vanilla")),
    speculative: clocked(ms(run, "speculative")),
  }));
  const speedup = (/** @type {number} */ i) =>
    repeats[i].vanilla.decode_ms / Math.max(1e-9, repeats[i].speculative.decode_ms);
  const slowestFirst = runs.map((_, i) => i).sort((a, b) => speedup(a) - speedup(b));
  return { run: runs[slowestFirst[(runs.length - 1) >> 1]], repeats };
}

/** @param {Lanes} run @param {LaneName} lane @returns {Finished | null} */
function ending(run, lane) {
  const last = run[lane][run[lane].length - 1];
  return last?.event === "finished" ? last : null;
}

/** What a whole run took, all of it; null where it ended early. @param {Lanes} run */
function seconds(run) {
  let ms = 0;
  for (const lane of NAMES) {
    const end = ending(run, lane);
    if (!end || end.reason === "cancelled" || end.reason === "error") return null;
    ms += end.prefill_ms + end.decode_ms + end.observe_ms;
  }
  return ms / 1e3;
}

/** @param {Lanes} run */
function tokens(run) {
  return NAMES.map((lane) =>
    run[lane].flatMap((e) => (e.event === "round" ? e.emitted.map((one) => one.token.id) : [])),
  ).join();
}
