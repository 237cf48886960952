// The runs that this browser keeps for the next visit, as the server packed them: the last ones, as far as there is
// room.

import { readStored, writeStored } from "../shared/store.js";

/** @typedef {{ id: string, source: string, data: string }} PackedRun */

const MAX_RUNS = 12;
const MAX_CHARACTERS = 2_000_000; // characters: a browser keeps some five million for a site

/** @returns {PackedRun[]} */
export function storedRuns() {
  const runs = readStored("runs");
  const whole = (/** @type {any} */ run) => [run?.id, run?.source, run?.data].every((part) => typeof part === "string");
  return Array.isArray(runs) ? runs.filter(whole).slice(-MAX_RUNS) : [];
}

/**
 * With a run at their end, once, and others left out until they fit: recorded ones first, which can be opened again.
 * @param {PackedRun[]} runs @param {PackedRun} run
 */
export function withRun(runs, run) {
  const all = [...runs.filter(({ id }) => id !== run.id), run];
  const own = all.filter(({ source }) => source !== "recorded");
  if (run.source === "recorded" && own.length >= MAX_RUNS) return own.slice(-MAX_RUNS);
  while (all.length > MAX_RUNS || (all.length && all.reduce((sum, { data }) => sum + data.length, 0) > MAX_CHARACTERS))
    dropRun(all);
  return all;
}

/** @param {PackedRun[]} runs the last of them is the newest */
function dropRun(runs) {
  const recorded = runs.slice(0, -1).findIndex(({ source }) => source === "recorded");
  runs.splice(Math.max(0, recorded), 1);
}

/** @param {PackedRun} run */
export function storeRun(run) {
  const runs = withRun(storedRuns(), run);
  while (!writeStored("runs", runs) && runs.length) dropRun(runs);
}
