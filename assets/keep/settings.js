// Prompt and settings as they were left, as the query of a link: read back as strictly as one.

import { readStored, writeStored } from "../shared/store.js";
import { query } from "./link.js";

/** @import { Value } from "./link.js" */

const FILLED = ["decode", "linked", "recorded"]; // what is said where a chapter, a link or a run filled in settings

let filled = false; // since then nobody typed
globalThis.document?.addEventListener("specviz:status", (/** @type {any} */ { detail }) => {
  filled ||= FILLED.includes(detail);
});

/** @returns {string} */
export function keptSettings() {
  const asked = readStored("settings");
  return typeof asked === "string" ? asked : "";
}

/**
 * What a visitor sets.
 * @param {string[]} names @param {Record<string, Value>} plain what a page says that nobody changed
 * @param {number} longest characters @param {Value[]} values
 */
export function keepSettings(names, plain, longest, values) {
  const asked = String(query(names, values, plain, ""));
  if (asked.length <= longest) writeStored("settings", asked || null);
  filled = false;
  return [];
}

/** The same once Run is pressed: gradio may not have heard the last letter yet. What else filled in settings presses it
 * too. @param {Parameters<typeof keepSettings>} given */
export const keepTyped = (...given) => (filled ? [] : keepSettings(...given));

/** Settings that somebody unfolded are so at the next visit: what gradio's accordion is told. */
export const unfolded = () => ({ __type__: "update", open: readStored("unfolded") === true });

/** @param {boolean} open */
export function keepUnfolded(open) {
  writeStored("unfolded", open || null);
  return [];
}
