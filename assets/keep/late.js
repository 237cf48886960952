// What makes files of a run: its timeline as a picture in the page's colours, its rounds as a table. Sent to the page
// when the first is saved, as window.specvizFiles (specviz/page/watch/race.py).

import { saveChart } from "../chart/save.js";
import { savedTimeline } from "../chart/timeline.js";
import { unpack } from "../picture/replay.js";
import { csvText } from "../picture/rounds.js";
import { currentRun } from "../shared/current_run.js";
import { query } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { ABOUT } from "../shared/words.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Trace } from "../trace/types.js" */

/** @param {Picture["lanes"]} lanes @param {"png" | "svg"} kind */
export function saveTimeline(lanes, kind) {
  const race = query(document, "#race");
  const settings = race.querySelector(".sv-settings-line")?.textContent ?? "";
  saveChart(savedTimeline(lanes, settings), kind, "specviz-timeline", race);
}

/** @param {Trace} trace */
export const saveRounds = (trace) => save("specviz-rounds.csv", "text/csv", csvText(trace, ABOUT.rules));

/** The run that Watch shows. @param {import("./save_run.js").Kind} kind */
export function saveShownRun(kind) {
  const { picture, payload } = currentRun;
  if (!picture) return;
  if (kind === "csv") saveRounds(unpack(JSON.parse(payload)));
  else saveTimeline(picture.lanes, kind);
}
