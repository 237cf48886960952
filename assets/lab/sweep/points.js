// Two charts of a sweep: what the formula says against what the clock says, and α against c.

import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { across, marks, scale, upward } from "../axis.js";
import { drafterWord } from "../setting.js";
import { sentence } from "./said.js";

/** @import { Found } from "./types.js" */

const LEFT = 46;
const RIGHT = 14;
const TOP = 30;
const BOTTOM = 46;
const HIGHEST = 340;

/** @param {Found} found @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawScatter({ cells }, words, width) {
  const known = cells.filter(({ predicted }) => predicted !== null);
  const values = known.flatMap(({ speedup, predicted }) => [speedup.median, predicted ?? 1]);
  const at = marks(Math.min(1, ...values), Math.max(1.2, ...values), 5);
  const { svg, x, y, bottom } = plane(at, at, width, [words.scatter, words.predicted, words.measured]);
  const [low, high] = [at[0], at[at.length - 1]];
  svg.append(shape("line", { class: "lab-same", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
  for (const cell of known) {
    const place = { cx: x(cell.predicted ?? 1), cy: y(cell.speedup.median) };
    const dot = shape("circle", { class: "lab-dot", r: 4, ...place, "data-look": "first" });
    dot.toggleAttribute("data-busy", cell.disturbed > cell.speedup.runs / 2);
    dot.append(shape("title", {}, sentence(cell, words)));
    svg.append(dot, tick(cell.where.K, place, bottom));
  }
  return svg;
}

/** @param {Found} found @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawPareto({ ways }, words, width) {
  const most = Math.max(0.2, ...ways.map(({ c }) => c));
  const [acrossAt, upAt] = [marks(0, most, 5), marks(0, 1, 5)];
  const { svg, x, y, bottom } = plane(acrossAt, upAt, width, [words.pareto, words.c, words.alpha]);
  const end = Math.min(1, acrossAt[acrossAt.length - 1]);
  svg.append(shape("line", { class: "lab-same", x1: x(0), y1: y(0), x2: x(end), y2: y(end) }));
  const front = ways.filter(({ best }) => best).sort((a, b) => a.c - b.c);
  const points = front.map(({ c, alpha }) => `${x(c)},${y(alpha)}`).join(" ");
  svg.append(shape("polyline", { class: "lab-front", points }));
  /** @type {[number, number, number][]} where a label stands: from, to, at */
  const taken = [];
  for (const way of ways) {
    const [cx, cy] = [x(way.c), y(way.alpha)];
    const drafter = drafterWord(way.drafter, words);
    const dot = shape("circle", { class: "lab-dot", cx, cy, r: 5, "data-look": way.best ? "first" : "again" });
    const told = {
      drafter,
      c: number(way.c, 2),
      alpha: number(way.alpha, 2),
      K: way.K,
      speedup: number(way.speedup, 2),
    };
    dot.append(shape("title", {}, filled(words.way, told)));
    const long = 7.2 * drafter.length;
    const right = cx + 9 + long < width;
    const from = right ? cx + 9 : cx - 9 - long;
    let ty = cy + 4;
    while (taken.some(([a, b, y]) => a < from + long && from < b && Math.abs(y - ty) < 13)) ty += 13;
    taken.push([from, from + long, ty]);
    const at = { x: right ? cx + 9 : cx - 9, y: Math.min(ty, bottom - 4), "text-anchor": right ? "start" : "end" };
    svg.append(dot, shape("text", { class: "lab-point", ...at }, drafter));
  }
  return svg;
}

/**
 * A chart's ground: its title, both axes and their names.
 * @param {number[]} acrossAt @param {number[]} upAt @param {number} width @param {string[]} names title, across, up
 */
function plane(acrossAt, upAt, width, [title, under, beside]) {
  const height = Math.min(HIGHEST, Math.max(260, width * 0.75));
  const bottom = height - BOTTOM;
  const x = scale(acrossAt, LEFT, width - RIGHT);
  const y = scale(upAt, bottom, TOP + 14);
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "lab-drawn", role: "img" });
  svg.setAttribute("aria-label", title);
  svg.append(...across(acrossAt, x, TOP + 14, bottom).flat(), ...upward(upAt, y, LEFT, width - RIGHT).flat());
  svg.append(shape("text", { class: "lab-title", x: 0, y: 14 }, title));
  svg.append(shape("text", { class: "lab-mark", x: 0, y: 32 }, `↑ ${beside}`));
  svg.append(shape("text", { class: "lab-mark", x: width - RIGHT, y: height - 6, "text-anchor": "end" }, `${under} →`));
  return { svg, x, y, bottom };
}

/** A point's K beside it. @param {number} K @param {{ cx: number, cy: number }} place @param {number} bottom */
function tick(K, { cx, cy }, bottom) {
  return shape("text", { class: "lab-point", x: cx + 6, y: Math.min(cy - 4, bottom) }, String(K));
}
