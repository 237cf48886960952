// What the page makes of the run that is shown, as files: its timeline in the page's colours, and its rounds.

import { saveChart } from "../chart/save.js";
import { savedTimeline } from "../chart/timeline.js";
import { unpack } from "../picture/replay.js";
import { query } from "../shared/dom.js";
import { loadBundle } from "../shared/late.js";
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

/**
 * A table of the rounds, by a script that is sent with the first.
 * @param {string} file its name @param {string} done @param {string} none as of a picture
 * @param {string} lost where the script does not come
 */
export async function saveRounds(file, done, none, lost) {
  const { sent, rounds } = currentRun;
  if (!sent) return none;
  try {
    const { csvText } = loadBundle("specvizRounds", JSON.parse((await rounds?.("")) ?? ""));
    save(file, "text/csv", csvText(unpack(JSON.parse(sent)), ABOUT.rules));
    return done;
  } catch (error) {
    console.warn(error);
    return lost;
  }
}
