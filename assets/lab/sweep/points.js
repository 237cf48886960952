// Two charts of a sweep: what the formula says against what the clock says, and α against c.

import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { across, marks, scale, upward } from "../axis.js";
import { placed } from "../labels.js";
import { drawn } from "../plot.js";
import { drafterWord } from "../setting.js";
import { sentence } from "./said.js";

/** @import { Found } from "./types.js" */

const LEFT = 46;
const RIGHT = 14;
const TOP = 30;
const BOTTOM = 46;
const HIGHEST = 340;
const LINES = 6; // of text that a drafter's name may stand away from its point

/** @param {Found} found @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawScatter({ cells }, words, width) {
  const known = cells.flatMap((cell) =>
    cell.speedup && cell.predicted !== null ? [{ ...cell, speedup: cell.speedup }] : [],
  );
  const values = known.flatMap(({ speedup, predicted }) => [speedup.median, predicted ?? 1]);
  const at = marks(Math.min(1, ...values), Math.max(1.2, ...values), 5);
  const { svg, x, y, bottom } = plane(at, at, width, [words.scatter, words.predicted, words.measured]);
  const [low, high] = [at[0], at[at.length - 1]];
  svg.append(shape("line", { class: "lab-same", x1: x(low), y1: y(low), x2: x(high), y2: y(high) }));
  const points = known.map((cell) => ({ x: x(cell.predicted ?? 1), y: y(cell.speedup.median) }));
  known.forEach((cell, i) => {
    const dot = shape("circle", { class: "lab-dot", r: 4, cx: points[i].x, cy: points[i].y, "data-look": "first" });
    dot.append(shape("title", {}, sentence(cell, words)));
    svg.append(dot);
  });
  const names = known.map(({ where }) => String(where.K));
  svg.append(...named(points, names, { left: LEFT, right: width, top: TOP, bottom }, 0));
  return svg;
}

/** @param {Found} found @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawPareto({ ways }, words, width) {
  const most = Math.max(0.2, ...ways.map(({ c }) => c));
  const [acrossAt, upAt] = [marks(0, most, 5), marks(0, 1, 5)];
  const { svg, x, y, bottom } = plane(acrossAt, upAt, width, [words.pareto, words.c, words.alpha]);
  const points = ways.map(({ c, alpha }) => ({ x: x(c), y: y(alpha) }));
  const end = Math.min(1, acrossAt[acrossAt.length - 1]);
  svg.append(shape("line", { class: "lab-same", x1: x(0), y1: y(0), x2: x(end), y2: y(end) }));
  const front = ways.filter(({ best }) => best).sort((a, b) => a.c - b.c);
  const line = front.map(({ c, alpha }) => `${x(c)},${y(alpha)}`).join(" ");
  svg.append(shape("polyline", { class: "lab-front", points: line }));
  const names = ways.map(({ drafter }) => drafterWord(drafter, words));
  ways.forEach((way, i) => {
    const [cx, cy] = [points[i].x, points[i].y];
    const dot = shape("circle", { class: "lab-dot", cx, cy, r: 5, "data-look": way.best ? "first" : "again" });
    const told = {
      drafter: names[i],
      c: number(way.c, 2),
      alpha: number(way.alpha, 2),
      K: way.K ?? words.cell_unknown,
      speedup: number(way.speedup, 2),
    };
    dot.append(shape("title", {}, filled(words.way, told)));
    svg.append(dot);
  });
  svg.append(...named(points, names, { left: LEFT, right: width, top: TOP, bottom }, LINES));
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
  const svg = drawn(width, height, title, "lab-drawn");
  svg.append(...across(acrossAt, x, TOP + 14, bottom).flat(), ...upward(upAt, y, LEFT, width - RIGHT).flat());
  svg.append(shape("text", { class: "lab-title", x: 0, y: 14 }, title));
  svg.append(shape("text", { class: "lab-mark", x: 0, y: 32 }, `↑ ${beside}`));
  svg.append(shape("text", { class: "lab-mark", x: width - RIGHT, y: height - 6, "text-anchor": "end" }, `${under} →`));
  return { svg, x, y, bottom };
}

/**
 * The names of points, where there is room: each is also the point's title.
 * @param {{ x: number, y: number }[]} points @param {string[]} names
 * @param {{ left: number, right: number, top: number, bottom: number }} box @param {number} lines
 */
function named(points, names, box, lines) {
  return placed(points, names, box, lines).flatMap((at, i) => {
    if (!at) return [];
    const name = shape("text", { class: "lab-point", x: at.x, y: at.y, "text-anchor": at.anchor }, names[i]);
    if (!at.far) return [name];
    const { x, y } = points[i];
    return [shape("line", { class: "lab-leader", x1: x, y1: y, x2: at.x, y2: at.y < y ? at.y + 3 : at.y - 11 }), name];
  });
}
