// The bars of p and q as a chart for a file: what positionBars draws on the page, with the same rows and numbers.

import { bands, between } from "../chart/axis.js";
import { chart } from "../chart/chart.js";
import { area, note, square } from "../chart/marks.js";
import { saveChart } from "../chart/save.js";
import { LETTER, shorten } from "../chart/text.js";
import { button } from "../shared/controls.js";
import { scaleTop } from "../shared/scale.js";
import { chipText } from "../shared/tokens.js";
import { WORDS, wordOf } from "../shared/words.js";
import { columns, hasRest, seriesOf, values } from "./bars.js";
import { largest } from "./shares.js";

/** @import { Entry, Position } from "../shared/types.js" */
/** @import { Subject } from "./shares.js" */

const [WIDTH, ROW, NUMBER] = [560, 26, 58]; // px: of the chart, a row, a column of numbers
const NAME = 30; // letters of a token

/** @param {HTMLElement} beside what is on the page @param {Position} position @param {Subject} subject */
export function saveButton(beside, position, subject) {
  const act = () => saveChart(barsChart(position, subject), "svg", "specviz-p-and-q", beside);
  return button(WORDS.save_bars, act, { class: "sv-save-bars" });
}

/** @param {Position} position @param {Subject} subject */
function barsChart(position, subject) {
  const series = seriesOf(position);
  const { rows, rest } = largest(position, subject);
  const top = scaleTop(rows.flatMap((entry) => series.map((name) => entry[name] || 0)));
  const shown = [...rows, ...(hasRest(rest, series) ? [rest] : [])];
  const names = shown.map((entry) => ("token" in entry ? shorten(chipText(entry.token), NAME) : WORDS.rest));
  const heads = columns(series);
  const write = (/** @type {string[]} */ texts, /** @type {number} */ y) =>
    texts.map((text, i) => note({ y }, text, { dx: NUMBER * (i + 1), dy: 5, anchor: "end", kind: "tick" }));
  const marks = [
    ...rows.flatMap((entry, i) => barsOf(entry, series, i)),
    ...shown.flatMap((entry, i) => write(values(entry, series), i)),
    ...write(heads, -1),
  ];
  const keys = [...series, ...(series.length > 1 ? ["shared"] : [])].map((name) => ({
    sign: square(name),
    word: wordOf(name),
  }));
  const y = bands(names);
  const own = rows.findIndex(({ token }) => token.id === subject.token.id);
  if (own >= 0) y.ticks[own].strong = true;
  const frame = { x: 0, y: 0, width: WIDTH, height: 66 + ROW * (shown.length + 1) };
  const left = 16 + LETTER * Math.max(...names.map((name) => name.length));
  const margin = { left, top: 44, right: 14 + NUMBER * heads.length };
  const x = between(0, top, [0, top / 2, top], "", (value) => String(Number(value.toFixed(2))));
  return chart({ width: WIDTH, planes: [{ frame, margin, keys, x, y, marks }] });
}

/** @param {Entry} entry @param {("p" | "q" | "s")[]} series @param {number} i */
function barsOf(entry, series, i) {
  const high = 0.7 / series.length;
  const bars = series.map((name, n) => {
    const y0 = i - 0.35 + n * high;
    return area({ x0: 0, x1: entry[name] || 0, y0, y1: y0 + high }, { series: name });
  });
  if (series.length < 2) return bars;
  const shared = Math.min(entry.p, entry.q || 0);
  return [area({ x0: 0, x1: shared, y0: i - 0.4, y1: i + 0.4 }, { series: "shared" }), ...bars];
}
