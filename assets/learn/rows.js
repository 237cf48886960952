// Rows of a small bar chart: a name, bars on one scale, a number.

import { el } from "../shared/dom.js";
import { share } from "../shared/scale.js";
import { chip } from "../shared/tokens.js";
import { PAGE } from "./lesson.js";

/** @import { Child, Token } from "../shared/types.js" */

/** @param {Child} name @param {Child[]} bars @param {string} value @param {boolean} [marked] */
export function row(name, bars, value, marked = false) {
  const parts = [el("span.lrn-name", null, name), el("span.lrn-track", null, bars), el("span.lrn-value", null, value)];
  return el("div.lrn-row", { "data-marked": marked ? "" : null }, parts);
}

/** @param {string} series @param {number} value @param {number} top the end of the scale @param {number} [from] */
export function bar(series, value, top, from = 0) {
  const node = el("span.lrn-bar", { "data-series": series });
  node.style.width = share(value, top);
  if (from) node.style.left = share(from, top);
  return node;
}

/** @param {...[series: string, word: string]} pairs */
export function legend(...pairs) {
  const keys = pairs.map(([series, word]) => el("span.lrn-key", { "data-series": series }, word));
  return el("div.lrn-legend", null, keys);
}

/** @param {Token | null} token null is: all others */
export function named(token) {
  return token ? chip(token) : el("span.lrn-rest", null, PAGE.rest);
}
