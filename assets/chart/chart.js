// The one chart: axes, their marks, and what is drawn between them, as SVG in the page's colours (figures/chart.css).
// Its name is made from what it draws, so whoever does not see it hears titles, axes and values.

import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { LETTER, text, wrapWords } from "./text.js";

/** @import { Axis, Key, Plane, Plot, Tick } from "./types.js" */
/** @typedef {Omit<Plane, "frame">} Head */

const TEXT = 16; // px of a page's text
const LINE = 18; // px from one line of text to the next
const SIGN = 20; // px from a key's sign to its word
const GAP = 22; // px between two keys
const EDGE = 12; // px that a text may stand out of its frame

/**
 * A chart as wide as `width` px of a page; on a projector it is as much larger as the text there.
 * @param {{ width: number, planes: Plane[], says?: string, role?: "img" | "group" }} figure `says`: heard first
 * @returns {SVGSVGElement}
 */
export function chart({ width, planes, says = "", role = "img" }) {
  const height = Math.max(0, ...planes.map(({ frame }) => frame.y + frame.height));
  const label = chartText(planes, says);
  const box = { class: "sv-chart", viewBox: `0 0 ${width} ${height}`, role, "aria-label": label };
  const svg = shape("svg", box, ...planes.map(drawPlane));
  svg.style.inlineSize = `${width / TEXT}em`;
  return svg;
}

/** What is heard of a chart. @param {Plane[]} planes @param {string} [says] at first */
export const chartText = (planes, says = "") => [says, ...planes.map(planeText)].filter((part) => part).join(" ");

/** @param {Plane} plane */
function planeText({ title, x, y, marks }) {
  const axis = (/** @type {Axis} */ { name, ends }, /** @type {string} */ key) =>
    name && ends ? plain(key, { name, from: ends[0], to: ends[1] }) : "";
  const sentences = [axis(x, "chart_across"), axis(y, "chart_up"), ...marks.flatMap((mark) => mark.sentences ?? [])];
  return [title ? `${title}.` : "", ...sentences].filter((part) => part).join(" ");
}

/** @param {Plane} plane */
function drawPlane(plane) {
  const { frame, x, y, marks, keys = [] } = plane;
  const lines = headOf(plane, frame.width);
  const margin = { ...marginOf(plane, headHeight(plane, frame.width)), ...plane.margin };
  const [left, right] = [frame.x + margin.left, frame.x + frame.width - margin.right];
  const [top, bottom] = [frame.y + margin.top, frame.y + frame.height - margin.bottom];
  /** @type {Plot} */
  const plot = {
    ...{ left, right, top, bottom },
    x: (value) => left + (right - left) * x.place(value),
    y: (value) => (y.down ? top + (bottom - top) * y.place(value) : bottom - (bottom - top) * y.place(value)),
  };
  const head = lines.map(([line, kind], i) => text(frame.x, frame.y + 14 + LINE * i, line, "start", { kind }));
  const under = x.name && text(right, frame.y + frame.height - 6, `${x.name} →`, "end", { kind: "tick" });
  return shape(
    "g",
    {},
    ...head,
    ...keyPlaces(keys, frame.width).map(({ key, x, row }) =>
      drawKey(key, frame.x + x, frame.y + 13 + LINE * (lines.length + row)),
    ),
    ...gridOf(x, y, plot),
    ...x.ticks.map((tick) => acrossTick(tick, x, plot, frame)),
    ...y.ticks.flatMap((tick) => upTick(tick, y, plot)),
    under || null,
    ...marks.flatMap((mark) => mark.draw(plot)),
  );
}

/**
 * What stands over the plot: the title, the caption, the name of the axis that goes up.
 * @param {Head} plane @param {number} width @returns {[line: string, kind: string][]}
 */
function headOf({ title, caption, y }, width) {
  const lines = (/** @type {string} */ words, /** @type {string} */ kind) =>
    wrapWords(words, width / LETTER).map((line) => /** @type {[string, string]} */ ([line, kind]));
  return [
    ...(title ? lines(title, "title") : []),
    ...(caption ? lines(caption, "tick") : []),
    ...(y.name ? lines(`↑ ${y.name}`, "tick") : []),
  ];
}

/** px from the top of a plane of this width to its plot. @param {Head} plane @param {number} width */
export function headHeight(plane, width) {
  const places = keyPlaces(plane.keys ?? [], width);
  const rows = places.length ? places[places.length - 1].row + 1 : 0;
  return 12 + LINE * (headOf(plane, width).length + rows + (plane.x.over ? 1 : 0));
}

/** The room that texts around a plot need. @param {Plane} plane @param {number} top */
function marginOf({ x, y }, top) {
  const longest = Math.max(0, ...y.ticks.map(({ text }) => text.length));
  return {
    left: y.inside ? 0 : Math.max(12, Math.min(130, 12 + LETTER * longest)),
    right: 14,
    top,
    bottom: (x.ticks.length && !x.over ? 22 : 4) + (x.name ? LINE : 0),
  };
}

/** @param {Axis} x @param {Axis} y @param {Plot} plot */
function gridOf(x, y, { left, right, top, bottom, ...plot }) {
  const line = (/** @type {number[]} */ [x1, x2], /** @type {number[]} */ [y1, y2]) =>
    shape("line", { class: "sv-chart-grid", x1, x2, y1, y2 });
  return [
    ...(x.lines ? x.ticks.map(({ value }) => line([plot.x(value), plot.x(value)], [top, bottom])) : []),
    ...(y.lines ? y.ticks.map(({ value }) => line([left, right], [plot.y(value), plot.y(value)])) : []),
  ];
}

/** It stays within the frame. @param {Tick} tick @param {Axis} axis @param {Plot} plot @param {Plane["frame"]} frame */
function acrossTick({ value, text: words }, { over }, plot, frame) {
  const [x, half] = [plot.x(value), (words.length * LETTER) / 2];
  const [from, to] = [frame.x - EDGE, frame.x + frame.width + EDGE];
  const anchor = x - half < from ? "start" : x + half > to ? "end" : "middle";
  return text(x, over ? plot.top - 8 : plot.bottom + 16, words, anchor, { kind: "tick" });
}

/** A name that is too long stands in two lines. @param {Tick} tick @param {Axis} axis @param {Plot} plot */
function upTick({ value, text: words, strong }, { inside, ends }, plot) {
  const kind = strong ? "title" : ends ? "tick" : "";
  if (inside) return [text(plot.left + 2, plot.y(value - 0.5) + 13, words, "start", { kind })];
  const lines = wrapWords(words, (plot.left - 8) / LETTER);
  const first = plot.y(value) + 5 - ((lines.length - 1) * TEXT) / 2;
  return lines.map((line, i) => text(plot.left - 8, first + TEXT * i, line, "end", { kind }));
}

/** Keys side by side, in as many rows as they need. @param {Key[]} keys @param {number} width */
function keyPlaces(keys, width) {
  let [x, row] = [0, 0];
  return keys.map((key) => {
    const long = SIGN + key.word.length * LETTER;
    if (x && x + long > width) [x, row] = [0, row + 1];
    const place = { key, x, row };
    x += long + GAP;
    return place;
  });
}

/** @param {Key} key @param {number} x @param {number} y */
const drawKey = ({ sign, word }, x, y) =>
  shape("g", { transform: `translate(${x} ${y - 4})` }, sign, text(SIGN, 5, word, "start", { kind: "tick" }));
