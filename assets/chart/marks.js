// What a chart draws of values. Each mark is made from values and drawn once the place of the axes is known.

import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { lookAttributes, text } from "./text.js";

/** @import { Look, Mark, Plot, Point } from "./types.js" */

/** What a chart says of many values under one name. @param {string | undefined} name @param {number[]} values */
const rangeText = (name, values) =>
  name && values.length ? [plain("chart_range", { name, ...ends(values) })] : undefined;

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
  const round = [
    ...points.map(({ x, high }) => ({ x, y: high })),
    ...points.map(({ x, low }) => ({ x, y: low })).reverse(),
  ];
  return {
    draw: (plot) => [shape("polygon", { class: "sv-chart-area", points: at(round, plot), ...lookAttributes(look) })],
  };
}

/** @param {Point[]} points @param {Plot} plot */
const at = (points, plot) => points.map(({ x, y }) => `${plot.x(x).toFixed(2)},${plot.y(y).toFixed(2)}`).join(" ");

/**
 * A rectangle over these values; without one it reaches the edge. `least`: px that it is wide at least.
 * @param {{ x0?: number, x1?: number, y0?: number, y1?: number }} values
 * @param {Look & { least?: number, title?: string, about?: Record<string, unknown>, sentences?: string[] }} [look]
 * `about`: what it is, as data attributes
 * @returns {Mark}
 */
export function area({ x0, x1, y0, y1 }, { least = 0, title, about = {}, sentences, ...look } = {}) {
  const to = (
    /** @type {number | undefined} */ value,
    /** @type {(v: number) => number} */ place,
    /** @type {number} */ edge,
  ) => (value === undefined ? edge : place(value));
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

/**
 * A line across the plot at one value, or up it. @param {{ x?: number, y?: number }} value @param {Look} [look]
 * @returns {Mark}
 */
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

/**
 * Words at a point; without a value they stand at the plot's right or upper edge, `dx` and `dy` px from there.
 * @param {{ x?: number, y?: number }} point @param {string} words
 * @param {Look & { dx?: number, dy?: number, anchor?: string }} [look] @returns {Mark}
 */
export const note = ({ x, y }, words, { dx = 0, dy = 0, anchor = "start", ...look } = {}) => ({
  draw(plot) {
    const [left, top] = [x === undefined ? plot.right : plot.x(x), y === undefined ? plot.top : plot.y(y)];
    return [text(left + dx, top + dy, words, anchor, look)];
  },
});
