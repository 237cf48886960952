// The timeline of a run: both lanes on one axis of milliseconds, and what each round spent on drafting, on the target's
// pass and on the rest. The same drawing stands on the page and in a file.

import { number } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { WORDS } from "../shared/words.js";
import { barsOf, keyOf, lanesOf, longestOf, timelineText } from "./lanes.js";
import { text } from "./text.js";
import { numberWriter, roundNumbersInside } from "./ticks.js";

/** @import { Lane } from "../shared/types.js" */
/** @import { Lanes } from "./lanes.js" */
/** @typedef {{ left: number, right: number, top: number, bottom: number }} Edges */

const MARGIN = { left: 112, right: 12, top: 30, bottom: 40 }; // px, as in watch/timeline.css
const HEIGHT = 190; // px
const BAR_SHARE = 0.65; // of a lane's height
const TICK_GAP = 110; // px from one tick to the next, about
const TICK = { kind: "tick" };

/** As wide as its place on the page. @param {Lanes} lanes @param {number} width */
export function timelineChart(lanes, width) {
  const svg = timelineDrawing(lanes, { ...MARGIN, width, height: HEIGHT });
  svg.style.inlineSize = "100%";
  return svg;
}

/** @param {Lanes} lanes @param {typeof MARGIN & { width: number, height: number }} size */
export function timelineDrawing(lanes, { width, height, ...margin }) {
  const edges = { ...margin, right: width - margin.right, bottom: height - margin.bottom };
  const { left, right, top, bottom } = edges;
  const rows = lanesOf(lanes);
  const longest = longestOf(lanes);
  const place = (/** @type {number} */ ms) => left + ((right - left) * ms) / longest;
  const ticks = roundNumbersInside(0, longest, Math.max(2, width / TICK_GAP));
  const write = numberWriter(ticks);
  const box = { class: "sv-chart", viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": timelineText(lanes) };
  return shape(
    "svg",
    box,
    ticks.map((ms) => shape("line", { class: "sv-chart-grid", x1: place(ms), x2: place(ms), y1: top, y2: bottom })),
    ticks.map((ms) => text(place(ms), bottom + 16, write(ms), "middle", TICK)),
    text(right, height - 6, `${WORDS.timeline_unit} →`, "end", TICK),
    rows.map(({ name }, i) => text(left - 8, top + ((bottom - top) * (i + 0.5)) / rows.length + 5, WORDS[name], "end")),
    // a pixel of the rest, which may take less, stands over what is beside it: it shows where a round ends
    keyOf().flatMap(([series]) => rows.flatMap((lane, i) => bars(lane, series, place, rowOf(i, rows.length, edges)))),
  );
}

/** Where the bars of a row stand. @param {number} i @param {number} rows @param {Edges} edges */
function rowOf(i, rows, { top, bottom }) {
  const high = (bottom - top) / rows;
  return { y: top + high * (i + (1 - BAR_SHARE) / 2), height: high * BAR_SHARE };
}

/**
 * @param {Lane} lane @param {string} series @param {(ms: number) => number} place
 * @param {{ y: number, height: number }} row
 */
function bars({ name, rounds }, series, place, row) {
  return rounds.flatMap((round, i) =>
    barsOf(round)
      .filter(({ part }) => part === series)
      .map(({ part, from, to }) => {
        const title = plain("timeline_bar", {
          round: i + 1,
          part: WORDS[`timeline_${part}`],
          ms: number(to - from, 2),
        });
        const about = { class: "sv-chart-area", "data-series": series, "data-lane": name, "data-round": i };
        const size = { x: place(from), width: Math.max(1, place(to) - place(from)), ...row };
        return shape("rect", { ...about, ...size }, shape("title", {}, title));
      }),
  );
}
