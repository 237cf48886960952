// Two charts of a sweep: what the formula says against what the clock says, and α against c.

import { linear } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { names } from "../../chart/labels.js";
import { curve, dots } from "../../chart/marks.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { drafterWord } from "../setting.js";
import { sentence } from "./said.js";

/** @import { Words } from "../types.js" */
/** @import { Axis, Mark } from "../../chart/types.js" */
/** @import { Found } from "./types.js" */

const HIGHEST = 340;
const LINES = 6; // of text that a drafter's name may stand away from its point

/** @param {Found} found @param {Words} words @param {number} width @returns {SVGSVGElement} */
export function drawScatter({ cells }, words, width) {
  const known = cells.flatMap((cell) =>
    cell.speedup && cell.predicted !== null ? [{ cell, x: cell.predicted, y: cell.speedup.median }] : [],
  );
  const points = known.map(({ cell, x, y }) => ({ x, y, title: sentence(cell, words) }));
  const [low, high] = [Math.min(1, ...points.flatMap(ends)), Math.max(1.2, ...points.flatMap(ends))];
  const [x, y] = [words.predicted, words.measured].map((name) => linear(low, high, 5, name));
  const [first, last] = [x.ticks[0].value, x.ticks[x.ticks.length - 1].value];
  const marks = [
    diagonal(first, last),
    dots(points, { series: "target", name: words.measured }),
    names(
      points,
      known.map(({ cell }) => String(cell.where.K)),
    ),
  ];
  return plane(words.scatter, x, y, marks, width);
}

/** @param {Found} found @param {Words} words @param {number} width @returns {SVGSVGElement} */
export function drawPareto({ ways }, words, width) {
  const x = linear(0, Math.max(0.2, ...ways.map(({ c }) => c)), 5, words.c);
  const y = linear(0, 1, 5, words.alpha);
  const points = ways.map(({ drafter, c, alpha, K, speedup, best }) => {
    const values = {
      drafter: drafterWord(drafter, words),
      c: number(c, 2),
      alpha: number(alpha, 2),
      K: K ?? words.cell_unknown,
      speedup: number(speedup, 2),
    };
    return { x: c, y: alpha, title: fillText(words.way, values), best };
  });
  const front = points.filter(({ best }) => best).sort((a, b) => a.x - b.x);
  const others = points.filter(({ best }) => !best);
  const marks = [
    diagonal(0, Math.min(1, x.ticks[x.ticks.length - 1].value)),
    curve(front, { series: "target" }),
    dots(front, { series: "target", r: 5, heard: front.map(({ title }) => `${title}.`) }),
    dots(others, { series: "muted", r: 5, heard: others.map(({ title }) => `${title}.`) }),
    names(
      points,
      ways.map(({ drafter }) => drafterWord(drafter, words)),
      LINES,
    ),
  ];
  return plane(words.pareto, x, y, marks, width);
}

/** @param {{ x: number, y: number }} point */
const ends = ({ x, y }) => [x, y];

/** Where both are the same. @param {number} from @param {number} to */
const diagonal = (from, to) =>
  curve(
    [from, to].map((at) => ({ x: at, y: at })),
    { kind: "same" },
  );

/** @param {string} title @param {Axis} x @param {Axis} y @param {Mark[]} marks @param {number} width */
function plane(title, x, y, marks, width) {
  const frame = { x: 0, y: 0, width, height: Math.min(HIGHEST, Math.max(260, width * 0.75)) };
  return chart({ width, planes: [{ frame, title, x, y, marks }] });
}
