// What a server reported over time: tokens a step as dots, requests at a time as a grey line behind.

import { exact } from "../chart/axis.js";
import { chart } from "../chart/chart.js";
import { curve, dots, note } from "../chart/marks.js";
import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Mark } from "../chart/types.js" */
/** @import { Child } from "../shared/types.js" */
/** @import { Moment } from "./types.js" */

const HEIGHT = 190;
export const WIDTH = Math.min(540, (globalThis.innerWidth || 540) - 32); // so that text is as large on a phone

/** @param {Moment[]} moments @returns {Child} */
export function overTime(moments) {
  const points = moments.flatMap(({ seconds, tokens_per_step }) =>
    tokens_per_step === null ? [] : [{ x: seconds, y: tokens_per_step }],
  );
  if (points.length < 2) return null;
  const most = Math.max(2, Math.ceil(Math.max(...points.map(({ y }) => y))));
  const loaded = moments.some(({ running }) => running !== null);
  const [by, unit] = unitOf(moments[moments.length - 1].seconds);
  const name = WORDS.record_tokens_per_step;
  const marks = [
    ...(loaded ? load(moments, by, most) : []),
    dots(
      points.map(({ x, y }) => ({ x: x / by, y, title: number(y, 2) })),
      { series: "rule", r: 3, name },
    ),
  ];
  const x = { ...exact(0, moments[moments.length - 1].seconds / by || 1, 4, unit), lines: false };
  const y = exact(1, most, Math.min(4, most - 1), name);
  const numbers = moments.map((m) =>
    [m.seconds, m.tokens_per_step, m.running].map((n) => number(n, n === m.seconds ? 0 : 2)).join(" "),
  );
  return [
    el("h4", null, WORDS.record_moments),
    chart({ width: WIDTH, planes: [{ frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT }, x, y, marks }] }),
    el("p.sv-note", null, WORDS[loaded ? "record_moments_is" : "record_moments_is_alone"]),
    el("details.sv-note", null, el("summary", null, WORDS.record_moments_numbers), el("p", null, numbers.join("; "))),
  ];
}

/** In what so many seconds are counted. @param {number} last @returns {[seconds: number, unit: string]} */
const unitOf = (last) => (last >= 7200 ? [3600, "h"] : last >= 120 ? [60, "min"] : [1, "s"]);

/** A line as high as the plot where most requests ran. @param {Moment[]} moments @param {number} by @param {number} top
 * @returns {Mark[]} */
function load(moments, by, top) {
  const most = Math.max(1, ...moments.map(({ running }) => running ?? 0));
  const points = moments.map(({ seconds, running }) => ({
    x: seconds / by,
    y: 1 + ((top - 1) * (running ?? 0)) / most,
  }));
  const words = plain("record_moments_load", { most: number(most, 0) });
  return [curve(points, { series: "muted", kind: "behind" }), note({}, words, { dy: -6, anchor: "end", kind: "tick" })];
}
