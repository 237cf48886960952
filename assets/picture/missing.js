// What a run of another engine does not tell, as keys of sentences. Nothing is missing in a run of our own.

import { decoding, finishedOf, prefillOf, roundsOf } from "../trace/events.js";

/** @import { Event, Trace } from "../trace/types.js" */

const KEYS = /** @type {const} */ (["p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill"]);

/** Each once, in the order of the inspector. @param {Trace} trace */
export function leftOut({ header, vanilla, speculative }) {
  if (header.engine === "specviz") return [];
  const greedy = header.config.temperature === 0;
  const told = [vanilla, speculative].map((lane) => ofLane(lane, greedy));
  return KEYS.filter((key) => told.some((each) => !each[key]));
}

/** @param {Event[]} events @param {boolean} greedy @returns {Record<typeof KEYS[number], boolean>} */
function ofLane(events, greedy) {
  const rounds = decoding(events);
  const all = roundsOf(events);
  const drafted = all.flatMap((round) => round.drafted);
  const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
  const last = all.flatMap(({ emitted }) => emitted.slice(-1)).filter(({ role }) => role !== "accepted");
  const [prefill, finished] = [prefillOf(events), finishedOf(events)];
  return {
    p: drafted.every(({ p }) => p !== null),
    q: drafted.every(({ q }) => q !== null),
    u: greedy || tested.every(({ u }) => u !== null),
    chance: greedy || last.every(({ u }) => u !== null),
    positions: tested.every(({ position }) => position),
    times: rounds.every(({ times }) => [times.draft, times.verify, times.decide].every((each) => each !== null)),
    cache: rounds.every(({ target_cache: cache }) => cache),
    passes: !finished || finished.draft_forwards !== null,
    prefill: !prefill || prefill.target_ms !== null,
  };
}
