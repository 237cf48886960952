// A result that comes with the app stands in a panel until something is measured there, and says what it is.

import { fillText } from "../shared/sentences.js";

/** @import { PanelContext, Settings } from "./types.js" */

/**
 * @template Found
 * @typedef {{ prompt: string, target: string, device: string, threads: number, date: string, found: Found }} Recorded
 */

/**
 * Ask for it, and keep it: `found` is null until it came, and where nothing was recorded.
 * @template Found @param {PanelContext} bench @param {string} name of Python's function @param {() => void} came
 */
export function recordedResult(bench, name, came) {
  /** @type {Recorded<Found> | null} */
  let recorded = null;
  let wanted = true;
  bench.server[name]?.("").then(
    (text) => {
      if (!wanted) return;
      recorded = JSON.parse(text);
      came();
    },
    (error) => console.warn(error), // the panel is whole without it
  );
  return {
    /** From now on what is measured here stands there, or nothing. */
    leave() {
      wanted = false;
      recorded = null;
    },
    found: () => recorded?.found ?? null,
    note: () =>
      recorded ? `${fillText(bench.words.recorded, { ...recorded })} ${bench.words.empty}` : bench.words.empty,
    /** @returns {Settings} by the names of a link to Watch */
    ran: () => (recorded ? { prompt: recorded.prompt, models: recorded.target } : {}),
  };
}
