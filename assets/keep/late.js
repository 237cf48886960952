// What makes files of a run: its timeline as a picture in the page's colours, its rounds as a table. Sent to the page
// when the first is saved, as window.specvizFiles (specviz/page/watch/race.py).

import { saveChart } from "../chart/save.js";
import { LETTER, query, shape, text, wrapWords } from "../player/dom.js";
import { currentRun, save } from "../player/page.js";
import { unpack } from "../player/picture.js";
import { keyOf, timelineDrawing } from "../player/race.js";
import { csvText } from "../player/rounds.js";
import { ABOUT } from "../player/words.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Trace } from "../trace/types.js" */

const WIDTH = 1176; // px: with its edge 1200
const LINE = 18; // px

/** The timeline for a file, with its key, under a line of text.
 * @param {Picture["lanes"]} lanes @param {string} caption */
export function savedTimeline(lanes, caption) {
  const lines = wrapWords(caption, WIDTH / LETTER);
  const top = 12 + LINE * (lines.length + 1);
  const size = { width: WIDTH, height: 228 + top, left: 103, right: 14, top, bottom: 40 };
  const svg = timelineDrawing(lanes, size);
  svg.append(...lines.map((line, i) => text(0, 14 + LINE * i, line, "start", { kind: "tick" })));
  let x = 0;
  for (const [series, word] of keyOf()) {
    const sign = shape("rect", {
      class: "sv-chart-area",
      x,
      y: top - 27,
      width: 12,
      height: 12,
      "data-series": series,
    });
    svg.append(sign, text(x + 20, top - 16, word, "start", { kind: "tick" }));
    x += 42 + word.length * LETTER;
  }
  return svg;
}

/** @param {Picture["lanes"]} lanes */
export function saveTimeline(lanes) {
  const race = query(document, "#race");
  const settings = race.querySelector(".sv-settings-line")?.textContent ?? "";
  saveChart(savedTimeline(lanes, settings), "specviz-timeline", race);
}

/** @param {Trace} trace */
export const saveRounds = (trace) => save("specviz-rounds.csv", "text/csv", csvText(trace, ABOUT.rules));

/** The run that Watch shows. @param {import("../player/mount.js").Kind} kind */
export function saveShownRun(kind) {
  const { picture, payload } = currentRun;
  if (!picture) return;
  if (kind === "csv") saveRounds(unpack(JSON.parse(payload)));
  else saveTimeline(picture.lanes);
}
