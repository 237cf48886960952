// A scale with round marks, for charts that are drawn in the page.

import { number } from "../shared/numbers.js";
import { shape } from "../shared/shape.js";

/**
 * Round numbers from below `low` to above `high`, about so many steps.
 * @param {number} low @param {number} high @param {number} about
 * @returns {number[]}
 */
export function marks(low, high, about) {
  const span = Math.max(high - low, 1e-9);
  const rough = span / about;
  const ten = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((n) => n * ten).find((n) => n >= rough * 0.999) ?? 10 * ten;
  const first = Math.floor(low / step + 1e-9);
  const last = Math.ceil(high / step - 1e-9);
  return Array.from({ length: last - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(12)));
}

/**
 * A scale from the first to the last mark onto `from` … `to`, which is where a value is drawn.
 * @param {number[]} at @param {number} from @param {number} to
 */
export function scale(at, from, to) {
  const [low, high] = [at[0], at[at.length - 1]];
  const span = high - low || 1;
  return (/** @type {number} */ value) => from + ((to - from) * (value - low)) / span;
}

/**
 * Places of labels, moved so far that none covers another; their order stays.
 * @param {number[]} places @param {number} least px from one to the next
 */
export function apart(places, least) {
  const moved = [...places];
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  for (let n = 1; n < order.length; n++) {
    moved[order[n]] = Math.max(moved[order[n]], moved[order[n - 1]] + least);
  }
  return moved;
}

/** Digits that tell the marks apart. @param {number[]} at */
export function digits(at) {
  const step = at.length > 1 ? at[1] - at[0] : 1;
  return Math.max(0, Math.min(4, -Math.floor(Math.log10(step) + 1e-9)));
}

/**
 * Lines across and the marks under them.
 * @param {number[]} at
 * @param {(v: number) => number} x
 * @param {number} top
 * @param {number} bottom
 */
export function across(at, x, top, bottom) {
  const n = digits(at);
  return at.map((value) => [
    shape("line", { class: "lab-grid", x1: x(value), x2: x(value), y1: top, y2: bottom }),
    shape("text", { class: "lab-mark", x: x(value), y: bottom + 16, "text-anchor": "middle" }, number(value, n)),
  ]);
}

/**
 * The same for a scale that goes up.
 * @param {number[]} at
 * @param {(v: number) => number} y
 * @param {number} left
 * @param {number} right
 */
export function upward(at, y, left, right) {
  const n = digits(at);
  return at.map((value) => [
    shape("line", { class: "lab-grid", x1: left, x2: right, y1: y(value), y2: y(value) }),
    shape("text", { class: "lab-mark", x: left - 6, y: y(value) + 4, "text-anchor": "end" }, number(value, n)),
  ]);
}
