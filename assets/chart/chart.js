// The one chart: axes (where a value stands between two ends, and the marks beside it), what is drawn between them, as SVG
// in the page's colours (figures/figures.css). A mark is made from values and drawn once the place of the axes is known. The
// chart's name is made from what it draws, so whoever does not see it hears titles, axes and values.

import { LETTER, lookAttributes, numberWriter, roundNumbers, roundNumbersInside, shape, text, wrapWords } from "../player/dom.js";
import { plain } from "../player/words.js";

/** @import { Axis, Key, Look, Mark, Plane, Plot, Point, Tick } from "./types.js" */

/** @typedef {Omit<Plane, "frame">} Head */

const TEXT = 16; // px of a page's text
const LINE = 18; // px from one line of text to the next
const SIGN = 20; // px from a key's sign to its word
const GAP = 22; // px between two keys
const EDGE = 12; // px that a text may stand out of its frame

/** A chart as wide as `width` px of a page; on a projector it is as much larger as the text there.
 * @param {{ width: number, planes: Plane[], says?: string, role?: "img" | "group" }} figure `says`: heard first
 * @returns {SVGSVGElement} */
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

/** What stands over the plot: the title, the caption, the name of the axis that goes up.
 * @param {Head} plane @param {number} width @returns {[line: string, kind: string][]} */
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

/** @type {Axis} */
const PLAIN = { name: "", ends: null, ticks: [], place: () => 0, lines: true, down: false, inside: false, over: false };

/** From a round number below `low` to one above `high`, in about so many steps.
 * @param {number} low @param {number} high @param {number} about @param {string} [name] @returns {Axis} */
export function linear(low, high, about, name) {
  const at = roundNumbers(low, high, about);
  return between(at[0], at[at.length - 1], at, name);
}

/** From `from` to `to`, with the round numbers between them.
 * @param {number} from @param {number} to @param {number} about @param {string} [name]
 * @param {(value: number) => string} [write] @returns {Axis} */
export function exact(from, to, about, name, write) {
  const at = roundNumbersInside(from, to, about);
  return between(from, to, at, name, write ?? numberWriter(at));
}

/** From `from` to `to`, with marks at these values. @param {number} from @param {number} to @param {number[]} at
 * @param {string} [name] @param {(value: number) => string} [write] @returns {Axis} */
export function between(from, to, at, name = "", write = numberWriter(at)) {
  const span = to - from || 1;
  return {
    ...PLAIN,
    name,
    ends: [write(from), write(to)],
    ticks: at.map((value) => ({ value, text: write(value) })),
    place: (value) => (value - from) / span,
  };
}

/** By powers of ten; what lies outside stands at an end. @param {number} from @param {number} to @param {string} [name]
 * @param {(value: number) => string} [write] @returns {Axis} */
export function logarithmic(from, to, name = "", write = String) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const powers = Math.floor(high + 1e-9) - Math.ceil(low - 1e-9) + 1;
  const at = Array.from({ length: powers }, (_, n) => 10 ** (Math.ceil(low - 1e-9) + n));
  const inside = (/** @type {number} */ value) => Math.min(to, Math.max(from, value));
  const place = (/** @type {number} */ value) => (Math.log10(inside(value)) - low) / (high - low || 1);
  return { ...between(from, to, at, name, write), place };
}

/** Values 0, 1, … at equal distances from end to end, each with its text; `every`: one tick for so many.
 * @param {string[]} texts @param {string} [name] @param {number} [every] @returns {Axis} */
export function steps(texts, name = "", every = 1) {
  const last = texts.length - 1;
  const ticks = texts.map((text, value) => ({ value, text })).filter(({ value }) => value % every === 0);
  return { ...PLAIN, name, ends: [texts[0], texts[last]], ticks, place: (value) => value / (last || 1), lines: false };
}

/** Values 0, 1, … with a row or column each, whose middle they are. @param {string[]} names
 * @param {Partial<Axis>} [more] @returns {Axis} */
export function bands(names, more) {
  const ticks = names.map((text, value) => ({ value, text }));
  return { ...PLAIN, ticks, place: (value) => (value + 0.5) / names.length, lines: false, down: true, ...more };
}

/** What a chart says of many values under one name. @param {string | undefined} name @param {number[]} values */
const rangeText = (name, values) => (name && values.length ? [plain("chart_range", { name, ...ends(values) })] : undefined);

/** @param {number[]} values */
const ends = (values) => ({ low: digits(Math.min(...values)), high: digits(Math.max(...values)) });

/** @param {number} value */
const digits = (value) => value.toLocaleString("en", { maximumSignificantDigits: 3 });

/** A dot for each point, of radius `r`; its title shows under the mouse. `name`: of what they are.
 * @param {Point[]} points @param {Look & { r?: number, name?: string, sentences?: string[] }} [look] @returns {Mark} */
export function dots(points, { r = 4, name, sentences, ...look } = {}) {
  const dot = (/** @type {Point} */ { x, y, title }, /** @type {Plot} */ plot) =>
    shape(
      "circle",
      { class: "sv-chart-dot", cx: plot.x(x), cy: plot.y(y), r, ...lookAttributes(look) },
      title ? shape("title", {}, title) : null,
    );
  const values = points.map(({ y }) => y);
  return { draw: (plot) => points.map((point) => dot(point, plot)), sentences: sentences ?? rangeText(name, values) };
}

/** A line through points. @param {Point[]} points @param {Look & { name?: string }} [look] @returns {Mark} */
export function curve(points, { name, ...look } = {}) {
  const values = points.map(({ y }) => y);
  const line = (/** @type {Plot} */ plot) => ({
    class: "sv-chart-curve",
    points: at(points, plot),
    ...lookAttributes(look),
  });
  return { draw: (plot) => [shape("polyline", line(plot))], sentences: rangeText(name, values) };
}

/** The ground between two lines. @param {{ x: number, low: number, high: number }[]} points @param {Look} [look]
 * @returns {Mark} */
export function band(points, look = {}) {
  const round = [...points.map(({ x, high }) => ({ x, y: high })), ...points.map(({ x, low }) => ({ x, y: low })).reverse()];
  return {
    draw: (plot) => [shape("polygon", { class: "sv-chart-area", points: at(round, plot), ...lookAttributes(look) })],
  };
}

/** @param {Point[]} points @param {Plot} plot */
const at = (points, plot) => points.map(({ x, y }) => `${plot.x(x).toFixed(2)},${plot.y(y).toFixed(2)}`).join(" ");

/** A rectangle over these values; without one it reaches the edge. `least`: px that it is wide at least.
 * @param {{ x0?: number, x1?: number, y0?: number, y1?: number }} values
 * @param {Look & { least?: number, title?: string, about?: Record<string, unknown>, sentences?: string[] }} [look]
 * `about`: what it is, as data attributes
 * @returns {Mark} */
export function area({ x0, x1, y0, y1 }, { least = 0, title, about = {}, sentences, ...look } = {}) {
  const to = (/** @type {number | undefined} */ value, /** @type {(v: number) => number} */ place, /** @type {number} */ edge) =>
    value === undefined ? edge : place(value);
  return {
    draw(plot) {
      const [left, right] = [to(x0, plot.x, plot.left), to(x1, plot.x, plot.right)];
      const [one, other] = [to(y0, plot.y, plot.top), to(y1, plot.y, plot.bottom)];
      const box = {
        x: Math.min(left, right),
        y: Math.min(one, other),
        width: Math.max(least, Math.abs(right - left)),
        height: Math.abs(other - one),
      };
      const node = shape(
        "rect",
        { class: "sv-chart-area", ...box, ...lookAttributes(look) },
        title ? shape("title", {}, title) : null,
      );
      for (const [name, value] of Object.entries(about)) node.dataset[name] = String(value);
      return [node];
    },
    sentences,
  };
}

/** A line across the plot at one value, or up it. @param {{ x?: number, y?: number }} value @param {Look} [look]
 * @returns {Mark} */
export const rule = ({ x, y }, look = {}) => ({
  draw(plot) {
    const across = y === undefined ? [plot.x(x ?? 0), plot.x(x ?? 0)] : [plot.left, plot.right];
    const up = y === undefined ? [plot.top, plot.bottom] : [plot.y(y), plot.y(y)];
    return [
      shape("line", {
        class: "sv-chart-rule",
        x1: across[0],
        x2: across[1],
        y1: up[0],
        y2: up[1],
        ...lookAttributes(look),
      }),
    ];
  },
});

/** Words at a point; without a value they stand at the plot's right or upper edge, `dx` and `dy` px from there.
 * @param {{ x?: number, y?: number }} point @param {string} words
 * @param {Look & { dx?: number, dy?: number, anchor?: string }} [look] @returns {Mark} */
export const note = ({ x, y }, words, { dx = 0, dy = 0, anchor = "start", ...look } = {}) => ({
  draw(plot) {
    const [left, top] = [x === undefined ? plot.right : plot.x(x), y === undefined ? plot.top : plot.y(y)];
    return [text(left + dx, top + dy, words, anchor, look)];
  },
});
