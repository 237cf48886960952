// Rows of bars on one scale: a name, its bars, its numbers; and the key to their colours. What stands in a `.sv-bars`
// has its columns in common.

import { el } from "./dom.js";
import { share } from "./scale.js";

/** @import { Child } from "./types.js" */

/** @param {Child} name @param {Child} bars null is: numbers alone @param {Child[]} values @param {boolean} [marked] */
export function row(name, bars, values, marked = false) {
  const numbers = values.map((value) => el("span.sv-value", null, value));
  const parts = [el("span.sv-bar-name", null, name), el(bars === null ? "span" : "span.sv-track", null, bars), numbers];
  return el("div.sv-bar-row", { "data-marked": marked ? "" : null }, parts);
}

/** @param {string} series @param {number} value @param {number} top the end of the scale @param {number} [from] */
export function bar(series, value, top, from = 0) {
  const node = el("span.sv-fill", { "data-series": series });
  node.style.width = share(value, top);
  if (from) node.style.left = share(from, top);
  return node;
}

/** @param {...[series: string, word: string]} pairs */
export function keys(...pairs) {
  return pairs.map(([series, word]) => el("span.sv-key", { "data-series": series }, word));
}

/** @param {...[series: string, word: string]} pairs */
export const legend = (...pairs) => el("div.sv-bar-keys", null, keys(...pairs));
