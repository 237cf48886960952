// The runs that this browser keeps for the next visit, as the server packed them: the last ones, as far as there is
// room.

import { readStored, writeStored } from "../shared/store.js";

/** @typedef {{ id: string, source: string, data: string }} Packed */

const MOST = 12;
const ROOM = 2_000_000; // characters: a browser keeps some five million for a site

/** @returns {Packed[]} */
export function keptRuns() {
  const runs = readStored("runs");
  const whole = (/** @type {any} */ run) => [run?.id, run?.source, run?.data].every((part) => typeof part === "string");
  return Array.isArray(runs) ? runs.filter(whole).slice(-MOST) : [];
}

/**
 * With a run at their end, once, and others left out until they fit: recorded ones first, which can be opened again.
 * @param {Packed[]} runs @param {Packed} run
 */
export function withRun(runs, run) {
  const all = [...runs.filter(({ id }) => id !== run.id), run];
  const own = all.filter(({ source }) => source !== "recorded");
  if (run.source === "recorded" && own.length >= MOST) return own.slice(-MOST);
  while (all.length > MOST || (all.length && all.reduce((sum, { data }) => sum + data.length, 0) > ROOM)) leaveOut(all);
  return all;
}

/** @param {Packed[]} runs the last of them is the newest */
function leaveOut(runs) {
  const recorded = runs.slice(0, -1).findIndex(({ source }) => source === "recorded");
  runs.splice(Math.max(0, recorded), 1);
}

/** @param {Packed} run */
export function keepRun(run) {
  const runs = withRun(keptRuns(), run);
  while (!writeStored("runs", runs) && runs.length) leaveOut(runs);
}
