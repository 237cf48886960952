// The runs of this visit, as the server packed them: the last ones, as far as there is room. This browser keeps them
// for the next visit too.

import { readStored, writeStored } from "../shared/store.js";

/** @typedef {{ id: string, source: string, data: string }} PackedRun */

export const MAX_RUNS = 12;
const SOURCES = ["run", "file", "recorded"];
const MAX_CHARACTERS = 12_000_000; // characters of a visit
const STORED_CHARACTERS = 2_000_000; // characters for the next one: a browser keeps some five million for a site

/** @returns {PackedRun[]} */
export function storedRuns() {
  const runs = readStored("runs");
  const whole = (/** @type {any} */ run) =>
    SOURCES.includes(run?.source) && [run.id, run.data].every((part) => typeof part === "string");
  return Array.isArray(runs) ? runs.filter(whole).slice(-MAX_RUNS) : [];
}

/**
 * With a run at their end, once, and others left out until they fit: recorded ones first, which can be opened again.
 * @param {PackedRun[]} runs @param {PackedRun} run
 */
export function withRun(runs, run, most = MAX_CHARACTERS) {
  const all = [...runs.filter(({ id }) => id !== run.id), run];
  const own = all.filter(({ source }) => source !== "recorded");
  if (run.source === "recorded" && own.length >= MAX_RUNS) return own.slice(-MAX_RUNS);
  while (all.length > MAX_RUNS || (all.length && all.reduce((sum, { data }) => sum + data.length, 0) > most))
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
  const runs = withRun(storedRuns(), run, STORED_CHARACTERS);
  while (!writeStored("runs", runs) && runs.length) dropRun(runs);
}
