// How far from p, by the number of draws, both by powers of ten: a right rule goes on falling like 1/√n, a wrong one
// stops.

import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { label, line, logarithmic, path } from "../plot.js";
import { byLuck, offOf } from "./trial.js";

/** @import { Case } from "./types.js" */
/** @import { Trial } from "./trial.js" */

const LEFT = 52;
const TOP = 30;
const FOOT = 42;

/**
 * @param {Case} now @param {Trial} trial @param {number} width @param {number} height
 * @param {Record<string, string>} words
 */
export function falling({ p }, { n, counts, curve, off }, width, height, words) {
  const most = 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, n))));
  const x = logarithmic(100, most, LEFT, width - 6);
  const least = 10 ** Math.floor(Math.log10(Math.min(byLuck(p, most) || 1e-4, ...curve.map(([, y]) => y || 1)) / 1.5));
  const y = logarithmic(least, 1, height - FOOT, TOP);
  const inside = (/** @type {number} */ value) => y(Math.min(1, Math.max(least, value)));
  const grid = [
    ...y.ticks.flatMap((tick) => [
      line(LEFT, y(tick), width - 6, y(tick), "lab-axis"),
      label(LEFT - 6, y(tick) + 5, String(tick), "lab-label", "end"),
    ]),
    ...x.ticks.map((tick) => label(x(tick), height - FOOT + 18, short(tick), "lab-label", "middle")),
  ];
  const stop = off > 1e-9 && [
    line(LEFT, inside(off), width - 6, inside(off), "brk-stop"),
    label(width - 8, inside(off) - 6, filled(words.stops, { off: number(off, 3) }), "brk-stop-label", "end"),
  ];
  const luck = byLuck(p, 100) > 0 && [
    path(
      [100, most].map((each) => [x(each), inside(byLuck(p, each))]),
      "brk-root",
    ),
    label(LEFT + 8, height - FOOT - 8, words.root),
  ];
  const last = n > 100 ? [[n, offOf({ n, counts }, p)]] : [];
  const points = /** @type {[number, number][]} */ ([...curve, ...last].map(([at, far]) => [x(at), inside(far)]));
  return [
    label(0, 14, words.falling, "lab-title"),
    ...grid,
    ...(luck || []),
    ...(stop || []),
    path(points, "brk-curve"),
    label((LEFT + width) / 2, height - 4, words.draws_axis, "lab-label", "middle"),
  ];
}

/** @param {number} n a power of ten */
const short = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n));
