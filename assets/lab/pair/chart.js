// The promised speedup by K, and between what it lies.

import { linear, steps } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { band, curve, dots, rule } from "../../chart/marks.js";
import { number } from "../../shared/numbers.js";

/** @import { Words } from "../types.js" */

const HEIGHT = 300;
const NUMBER = 28; // px that a number under the axis takes

/**
 * @param {(string | number)[][]} rows K, low, speedup, high @param {number} best @param {Words} words
 * @param {number} width @returns {SVGSVGElement}
 */
export function drawByK(rows, best, words, width) {
  const all = /** @type {number[][]} */ (rows);
  const points = all.map(([K, low, speedup, high]) => {
    const title = `K = ${K}: ${number(speedup, 2)} (${number(low, 2)} – ${number(high, 2)})`;
    return { x: K, y: speedup, low, high, title };
  });
  const series = "target";
  const marks = [
    rule({ y: 1 }),
    band(points, { series, kind: "interval" }),
    curve(points, { series, kind: "strong", name: words.speedup }),
    dots(
      points.filter(({ x }) => x !== best),
      { series },
    ),
    dots(
      points.filter(({ x }) => x === best),
      { series, kind: "spot", r: 7 },
    ),
  ];
  const Ks = all.map(([K]) => String(K));
  const plane = {
    frame: { x: 0, y: 0, width, height: HEIGHT },
    margin: { right: 20 },
    title: words.by_K,
    x: steps(Ks, words.K_axis, width / all.length < NUMBER ? 2 : 1),
    y: linear(0, Math.max(1.2, ...points.map(({ high }) => high)), 5, words.speedup),
    marks,
  };
  return chart({ width, planes: [plane] });
}
