// The timeline of the run that is shown as a file, in the colours of the page and under the settings of the run.

import { saveChart } from "../chart/save.js";
import { savedTimeline } from "../chart/timeline.js";
import { query } from "../shared/dom.js";
import { currentRun } from "../shared/shown.js";

/** @import { Picture } from "../shared/types.js" */

/** @param {Picture["lanes"]} lanes @param {"png" | "svg"} kind */
export function saveTimeline(lanes, kind) {
  const race = query(document, "#race");
  const settings = race.querySelector(".sv-settings-line")?.textContent ?? "";
  saveChart(savedTimeline(lanes, settings), kind, "specviz-timeline", race);
}

/**
 * @param {"png" | "svg"} kind
 * @param {string} done @param {string} none what the status line says: it is saved, or there is nothing to save
 */
export function savePicture(kind, done, none) {
  if (!currentRun.picture) return none;
  saveTimeline(currentRun.picture.lanes, kind);
  return done;
}
