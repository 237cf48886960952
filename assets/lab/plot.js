// Scales and axes of the Lab's drawings: SVG, so that a picture file is what stands on the page. Looks are in plot.css.

import { shape } from "../shared/shape.js";

/** @typedef {{ (value: number): number, ticks: number[] }} Scale a value's place in px */

/**
 * @param {number} from @param {number} to @param {number} left @param {number} right @param {number} [parts]
 * @returns {Scale}
 */
export function linear(from, to, left, right, parts = 4) {
  const scale = (/** @type {number} */ value) => left + ((value - from) / (to - from || 1)) * (right - left);
  const step = (to - from) / parts;
  return Object.assign(scale, { ticks: Array.from({ length: parts + 1 }, (_, i) => from + i * step) });
}

/**
 * Of powers of ten.
 * @param {number} from @param {number} to @param {number} left @param {number} right @returns {Scale}
 */
export function logarithmic(from, to, left, right) {
  const [low, high] = [Math.log10(from), Math.log10(to)];
  const scale = (/** @type {number} */ value) =>
    left + ((Math.log10(value) - low) / (high - low || 1)) * (right - left);
  const ticks = [];
  for (let n = Math.ceil(low - 1e-9); n <= high + 1e-9; n++) ticks.push(10 ** n);
  return Object.assign(scale, { ticks });
}

const TEXT = 16; // px of a page's text

/**
 * A drawing of its own width on a page; on a projector it is as much larger as the text there.
 * @param {number} width @param {number} height @param {string} label what is heard
 * @param {string} look @param {"img" | "group"} [role]
 */
export function drawn(width, height, label, look, role = "img") {
  const box = { width, height, viewBox: `0 0 ${width} ${height}`, role, "aria-label": label, class: look };
  const svg = shape("svg", box);
  svg.style.inlineSize = `${width / TEXT}em`;
  svg.style.blockSize = "auto";
  return svg;
}

/**
 * A drawing as wide as its place.
 * @param {number} width @param {number} height @param {string} label what is heard
 * @param {(SVGElement | null | (SVGElement | null)[])[]} children
 */
export function drawing(width, height, label, ...children) {
  const box = { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": label, class: "lab-plot" };
  return shape("svg", box, ...children.flat());
}

/**
 * @param {number} x @param {number} y @param {string} text @param {string} [kind]
 * @param {"start" | "middle" | "end"} [anchor]
 */
export const label = (x, y, text, kind = "lab-label", anchor = "start") =>
  shape("text", { x, y, class: kind, "text-anchor": anchor }, text);

/** @param {number} x1 @param {number} y1 @param {number} x2 @param {number} y2 @param {string} kind */
export const line = (x1, y1, x2, y2, kind) => shape("line", { x1, y1, x2, y2, class: kind });

/** @param {number} x @param {number} y @param {number} width @param {number} height @param {string} kind */
export const area = (x, y, width, height, kind) =>
  shape("rect", { x, y, width: Math.max(0, width), height: Math.max(0, height), class: kind });

/** @param {[x: number, y: number][]} points @param {string} kind */
export const path = (points, kind) =>
  shape("polyline", { points: points.map(([x, y]) => `${x.toFixed(2)},${y.toFixed(2)}`).join(" "), class: kind });
