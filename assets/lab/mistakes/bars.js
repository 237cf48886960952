// What came against what must come: a bar for each outcome, p as a line with what luck allows around it, and the
// rule's own distribution as a rhomb. And how far from p, by the number of draws, both by powers of ten: a right rule
// goes on falling like 1/√n, a wrong one stops.

import { bands, between, logarithmic } from "../../chart/axis.js";
import { area, curve, note, rule } from "../../chart/marks.js";
import { shortenName } from "../../chart/text.js";
import { number } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { fillText } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { distanceFromP, expectedDistance } from "./trial.js";

/** @import { Key, Mark, Plane } from "../../chart/types.js" */
/** @import { Case } from "./types.js" */
/** @import { Trial } from "./trial.js" */

const NOISE_SIGMAS = 2; // 19 of 20 samples of a right rule lie within
const NAME_LETTERS = 15; // letters of an outcome's name
const VALUE_PX = 54; // px for the number at the end of a row

/** Its rows, and what stands between its axes. @param {Case} testCase @param {Trial} trial @param {number} width
 * @param {Record<string, string>} words @returns {Omit<Plane, "frame"> & { rows: number }} */
export function barsPlane({ names, p }, { n, counts, exact }, width, words) {
  const luck = p.map((x) => NOISE_SIGMAS * Math.sqrt((x * (1 - x)) / Math.max(1, n)));
  const observed = counts.map((k) => k / Math.max(1, n));
  const upper = p.map((each, i) => Math.min(1, each + luck[i]));
  const marks = names.flatMap((name, i) => [
    area(
      { x0: 0, x1: observed[i], ...rowSpan(i, 0.3) },
      { series: "target", kind: "half", sentences: [`${name}: ${number(observed[i], 3)}.`] },
    ),
    area({ x0: Math.max(0, p[i] - luck[i]), x1: upper[i], ...rowSpan(i, 0.09) }, { kind: "half" }),
    curve(
      [i - 0.45, i + 0.45].map((y) => ({ x: p[i], y })),
      { kind: "own" },
    ),
    /** @type {Mark} */ ({ draw: (plot) => [diamond(plot.x(exact[i]), plot.y(i))] }),
    note({ y: i }, number(observed[i], 3), { dx: VALUE_PX, dy: 5, anchor: "end", kind: "tick" }),
  ]);
  const x = between(0, scaleTop([...observed, ...exact, ...upper]), []);
  const margin = { left: Math.min(118, 8 + 0.26 * width), right: VALUE_PX, bottom: 0 };
  const y = bands(names.map((name) => shortenName(name, NAME_LETTERS)));
  const row = names.length > 12 ? 18 : names.length > 6 ? 26 : 36;
  return { title: words.bars, keys: legendKeys(words), margin, x, y, marks, rows: row * names.length };
}

/** @param {number} i @param {number} half of the row's height */
const rowSpan = (i, half) => ({ y0: i - half, y1: i + half });

/** What each mark means. @param {Record<string, string>} words @returns {Key[]} */
function legendKeys(words) {
  const box = (/** @type {number} */ height, /** @type {string | null} */ series) =>
    shape("rect", {
      ...{ x: 0, y: -height / 2, width: 14, height },
      ...{ class: "sv-chart-area", "data-kind": "half", "data-series": series },
    });
  const stroke = { class: "sv-chart-curve", "data-kind": "own", points: "7,-7 7,7" };
  return [
    { sign: box(9, "target"), word: words.came },
    { sign: shape("polyline", stroke), word: words.key_p },
    { sign: box(6, null), word: words.key_luck },
    { sign: diamond(7, 0), word: words.key_exact },
  ];
}

/** @param {number} x @param {number} y */
const diamond = (x, y) => shape("path", { d: `M${x} ${y - 6}l5 6l-5 6l-5 -6z`, class: "brk-exact" });

/** @param {Case} testCase @param {Trial} trial @param {Record<string, string>} words @returns {Omit<Plane, "frame">} */
export function distancePlane({ p }, { n, counts, curve: distances, off }, words) {
  const maxDraws = 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, n))));
  const lowest = Math.min(expectedDistance(p, maxDraws) || 1e-4, ...distances.map(([, y]) => y || 1)) / 1.5;
  const last = n > 100 ? [[n, distanceFromP({ n, counts }, p)]] : [];
  const points = [...distances, ...last].map(([x, y]) => ({ x, y }));
  const luck = [100, maxDraws].map((x) => ({ x, y: expectedDistance(p, x) }));
  const stops = fillText(words.stops, { off: number(off, 3) });
  const marks = [
    ...(luck[0].y > 0
      ? [curve(luck, { kind: "same" }), note({ x: 100, y: 0 }, words.root, { dx: 8, dy: -8, kind: "tick" })]
      : []),
    ...(off > 1e-9
      ? [rule({ y: off }, { kind: "stop" }), note({ y: off }, stops, { dx: -2, dy: -6, anchor: "end", kind: "stop" })]
      : []),
    curve(points, { series: "target", kind: "strong", name: words.falling }),
  ];
  const x = { ...logarithmic(100, maxDraws, words.draws_axis, powerText), lines: false };
  return { title: words.falling, x, y: logarithmic(10 ** Math.floor(Math.log10(lowest)), 1), marks };
}

/** @param {number} n a power of ten */
const powerText = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n));
