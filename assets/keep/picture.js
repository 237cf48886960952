// What the page makes of the run that is shown, as files: its timeline in the page's colours, and its rounds.

import { saveChart } from "../chart/save.js";
import { savedTimeline } from "../chart/timeline.js";
import { unpack } from "../picture/replay.js";
import { csvText } from "../picture/rounds.js";
import { query } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { currentRun } from "../shared/shown.js";
import { ABOUT } from "../shared/words.js";

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

/** A table of the rounds. @param {string} file its name @param {string} done @param {string} none as of a picture */
export function saveRounds(file, done, none) {
  if (!currentRun.sent) return none;
  save(file, "text/csv", csvText(unpack(JSON.parse(currentRun.sent)), ABOUT.rules));
  return done;
}
