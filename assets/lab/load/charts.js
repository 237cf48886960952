// Two charts of a load: the speedup by how many texts share the server, for a few K and for the best; and what each
// text gets against what all get together.

import { linear, steps } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { lineNames } from "../../chart/labels.js";
import { area, curve, dots, note, rule } from "../../chart/marks.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { bestOf, servingAt, servingByK } from "../../shared/serving.js";

/** @import { Mark } from "../../chart/types.js" */
/** @import { Served } from "../../shared/hardware.js" */
/** @import { Load } from "./panel.js" */

const LINE_NAMES_PX = 44; // px for the names of lines
const DRAFT_LENGTHS = [1, 2, 4, 8];

/** @param {number} width */
const frameOf = (width) => ({ x: 0, y: 0, width, height: Math.min(360, Math.max(280, width * 0.7)) });

/** @param {number[]} values */
const points = (values) => values.map((y, x) => ({ x, y }));

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawLoads({ grid, passesOf, alpha, texts }, words, width) {
  const lines = DRAFT_LENGTHS.map((K) =>
    grid.map((n) => servingAt(passesOf(n), [alpha], Math.min(K, passesOf(n).target.length - 1), n).speedup),
  );
  const best = grid.map((n) => bestOf(servingByK(passesOf(n), [alpha], n)));
  const speedups = best.map(({ speedup }) => speedup);
  const y = linear(0, Math.max(1.2, ...lines.flat(), ...speedups), 5, words.speedup);
  const now = grid.indexOf(texts);
  const here = { x: now, y: speedups[now] };
  const label = fillText(words.at_best, { K: best[now].K, speedup: number(here.y, 2) });
  const side = now < 0.6 * (grid.length - 1) ? { dx: 9, anchor: "start" } : { dx: -9, anchor: "end" };
  const marks = [
    ...zeroWins(best, words),
    rule({ y: 1 }),
    ...lines.map((line, k) => curve(points(line), { name: `K = ${DRAFT_LENGTHS[k]}` })),
    lineNames(
      lines.map((line) => line[line.length - 1]),
      DRAFT_LENGTHS.map((K) => `K ${K}`),
    ),
    curve(points(speedups), { series: "target", kind: "strong", name: words.with_drafts }),
    rule({ x: now }, { kind: "here" }),
    dots([here], { series: "target", kind: "spot", r: 6 }),
    note(here, label, { ...side, dy: -9, kind: "value" }),
  ];
  const x = steps(grid.map(String), words.texts_axis, grid.length < 8 ? 1 : 2);
  const plane = { frame: frameOf(width), margin: { right: LINE_NAMES_PX }, title: words.by_load, x, y, marks };
  return chart({ width, planes: [plane] });
}

/**
 * Where from some load on no draft is best.
 * @param {Served[]} best of each load @param {Record<string, string>} words @returns {Mark[]}
 */
function zeroWins(best, words) {
  const none = best.findIndex(({ K }) => K === 0);
  if (none < 0 || best.slice(none).some(({ K }) => K > 0)) return [];
  const from = Math.max(0, none - 0.5);
  const middle = (from + best.length - 1) / 2;
  return [
    area({ x0: from }, { kind: "slower" }),
    note({ x: middle }, words.zero_wins, { dy: 16, anchor: "middle", kind: "tick" }),
  ];
}

/** @param {Load} load @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawTrade({ grid, passesOf, alpha, texts }, words, width) {
  const by = grid.map((n) => servingByK(passesOf(n), [alpha], n));
  const sets = [by.map((all) => all[0]), by.map(bestOf)].map((set) =>
    set.map(({ latency, pace }) => ({ x: 1e3 / latency, y: pace })),
  );
  const x = linear(0, Math.max(...sets.flat().map((point) => point.x)), 4, words.text_pace);
  const y = linear(0, Math.max(...sets.flat().map((point) => point.y)), 4, words.pace);
  const now = grid.indexOf(texts);
  const marks = sets.flatMap((set, i) => {
    const series = i ? "target" : "muted";
    const word = i ? words.with_drafts : words.without;
    const anchor = x.place(set[0].x) > 0.7 ? "end" : "start";
    return [
      curve(set, { series, kind: "strong", name: word }),
      dots([set[now]], { series, kind: "spot", r: 6 }),
      note(set[0], word, { dy: -10 - 14 * i, anchor, kind: "name" }),
    ];
  });
  const plane = { frame: frameOf(width), margin: { right: LINE_NAMES_PX }, title: words.trade, x, y, marks };
  return chart({ width, planes: [plane] });
}
