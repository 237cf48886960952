// The timeline of a run: both lanes on one axis of milliseconds, and what each round spent on drafting, on the target's
// pass and on the rest. On a page with Gradio it is Plotly's, with the same margins (specviz/picture/charts.py).

import { number } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { bands, exact } from "./axis.js";
import { chart } from "./chart.js";
import { barsOf, keyOf, lanesOf, longestOf, timelineText } from "./lanes.js";
import { area, square } from "./marks.js";

/** @import { LaneName, Round } from "../shared/types.js" */
/** @import { Lanes } from "./lanes.js" */
/** @import { Plane } from "./types.js" */

const MARGIN = { left: 92, right: 12, top: 30, bottom: 40 };
const HEIGHT = 190;
const FILE_SIZE = { width: 1176, height: 276 }; // with its edge 1200 × 300
const HALF_BAR = 0.325; // of a lane's height, above and below its middle
const TICK_GAP = 110; // px from one tick to the next, about

/** As wide as its place on the page. @param {Lanes} lanes @param {number} width */
export function timelineChart(lanes, width) {
  const frame = { x: 0, y: 0, width, height: HEIGHT };
  const svg = chart({ width, planes: [{ ...planeOf(lanes, frame), margin: MARGIN }], says: timelineText(lanes) });
  svg.style.inlineSize = "100%";
  return svg;
}

/** For a file, with its key, under a line of text. @param {Lanes} lanes @param {string} caption */
export function savedTimeline(lanes, caption) {
  const plane = planeOf(lanes, { x: 0, y: 0, ...FILE_SIZE });
  const keys = keyOf().map(([series, word]) => ({ sign: square(series), word }));
  return chart({ width: FILE_SIZE.width, planes: [{ ...plane, keys, caption }], says: timelineText(lanes) });
}

/** @param {Lanes} lanes @param {Plane["frame"]} frame @returns {Plane} */
function planeOf(lanes, frame) {
  const rows = lanesOf(lanes);
  // a pixel of the rest, which may take less, stands over what is beside it: it shows where a round ends
  const marks = keyOf().flatMap(([series]) =>
    rows.flatMap(({ name, rounds }, row) => rounds.flatMap((round, i) => marksOf(round, series, i, row, name))),
  );
  const x = exact(0, longestOf(lanes), Math.max(2, frame.width / TICK_GAP), WORDS.timeline_unit);
  return { frame, x: { ...x, ends: null }, y: bands(rows.map(({ name }) => WORDS[name])), marks };
}

/** @param {Round} round @param {string} series @param {number} i @param {number} row @param {LaneName} lane */
function marksOf(round, series, i, row, lane) {
  const bars = barsOf(round).filter(({ part }) => part === series);
  return bars.map(({ part, from, to }) => {
    const title = plain("timeline_bar", { round: i + 1, part: WORDS[`timeline_${part}`], ms: number(to - from, 2) });
    const about = { lane, round: i };
    return area({ x0: from, x1: to, y0: row - HALF_BAR, y1: row + HALF_BAR }, { series, title, about, least: 1 });
  });
}
