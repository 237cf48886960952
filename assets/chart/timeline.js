// The timeline of a run: both lanes on one axis of milliseconds, and what each round spent on drafting, on the target's
// pass and on the rest. On a page with Gradio it is Plotly's, with the same margins (specviz/picture/charts.py).

import { milliseconds, number } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { bands, exact } from "./axis.js";
import { chart } from "./chart.js";
import { area, square } from "./marks.js";

/** @import { LaneName, Picture, Round } from "../shared/types.js" */
/** @import { Plane } from "./types.js" */

/** @typedef {Picture["lanes"]} Lanes */

const PARTS = /** @type {const} */ (["draft", "verify", "rest"]);
const MARGIN = { left: 92, right: 12, top: 30, bottom: 40 };
const HEIGHT = 190;
const SAVED = { width: 1176, height: 276 }; // with its edge 1200 × 300
const HALF = 0.325; // of a lane's height, above and below its middle
const TICK = 110; // px from one tick to the next, about

/** The lanes that there are, from top to bottom. @param {Lanes} lanes */
export const lanesOf = ({ vanilla, speculative }) => [vanilla, speculative].filter((lane) => lane !== null);

/** How long the longer lane took, in ms. @param {Lanes} lanes */
export const longestOf = (lanes) => Math.max(1e-9, ...lanesOf(lanes).map(({ duration }) => duration));

/** A colour and a word for each part of a round. @returns {[series: string, word: string][]} */
export const keyOf = () => PARTS.map((part) => [part, WORDS[`timeline_${part}`]]);

/** What is heard of it: of each lane, what its parts took together. @param {Lanes} lanes */
export function timelineText(lanes) {
  const sentences = lanesOf(lanes).map(({ name, rounds }) => {
    const took = (/** @type {string} */ part) =>
      rounds.flatMap(barsOf).reduce((sum, bar) => sum + (bar.part === part ? bar.to - bar.from : 0), 0);
    const parts = PARTS.map((part) => [part, milliseconds(took(part))]);
    return plain("timeline_lane", { lane: WORDS[name], ...Object.fromEntries(parts) });
  });
  return [`${WORDS.timeline_label}.`, ...sentences].join(" ");
}

/** As wide as its place on the page. @param {Lanes} lanes @param {number} width */
export function timelineChart(lanes, width) {
  const frame = { x: 0, y: 0, width, height: HEIGHT };
  const svg = chart({ width, planes: [{ ...planeOf(lanes, frame), margin: MARGIN }], says: timelineText(lanes) });
  svg.style.inlineSize = "100%";
  return svg;
}

/** For a file, with its key, under a line of text. @param {Lanes} lanes @param {string} caption */
export function savedTimeline(lanes, caption) {
  const plane = planeOf(lanes, { x: 0, y: 0, ...SAVED });
  const keys = keyOf().map(([series, word]) => ({ sign: square(series), word }));
  return chart({ width: SAVED.width, planes: [{ ...plane, keys, caption }], says: timelineText(lanes) });
}

/** @param {Lanes} lanes @param {Plane["frame"]} frame @returns {Plane} */
function planeOf(lanes, frame) {
  const shown = lanesOf(lanes);
  const marks = shown.flatMap(({ name, rounds }, row) => rounds.flatMap((round, i) => marksOf(round, i, row, name)));
  const x = exact(0, longestOf(lanes), Math.max(2, frame.width / TICK), WORDS.timeline_unit);
  return { frame, x: { ...x, ends: null }, y: bands(shown.map(({ name }) => WORDS[name])), marks };
}

/** @param {Round} round @param {number} i @param {number} row @param {LaneName} lane */
function marksOf(round, i, row, lane) {
  return barsOf(round).map(({ part, from, to }) => {
    const title = plain("timeline_bar", { round: i + 1, part: WORDS[`timeline_${part}`], ms: number(to - from, 2) });
    const about = { lane, round: i };
    return area({ x0: from, x1: to, y0: row - HALF, y1: row + HALF }, { series: part, title, about });
  });
}

/** What of a round took time, and when. @param {Round} round */
function barsOf(round) {
  const moments = [round.start, round.drafted_at, round.verified_at, round.end];
  return PARTS.map((part, i) => ({ part, from: moments[i], to: moments[i + 1] })).filter(({ from, to }) => to > from);
}
