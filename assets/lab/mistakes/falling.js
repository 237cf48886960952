// How far from p, by the number of draws, both by powers of ten: a right rule goes on falling like 1/√n, a wrong one
// stops.

import { logarithmic } from "../../chart/axis.js";
import { curve, note, rule } from "../../chart/marks.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { byLuck, offOf } from "./trial.js";

/** @import { Plane } from "../../chart/types.js" */
/** @import { Case } from "./types.js" */
/** @import { Trial } from "./trial.js" */

/** @param {Case} now @param {Trial} trial @param {Record<string, string>} words @returns {Omit<Plane, "frame">} */
export function falling({ p }, { n, counts, curve: distances, off }, words) {
  const most = 10 ** Math.max(4, Math.ceil(Math.log10(Math.max(1, n))));
  const smallest = Math.min(byLuck(p, most) || 1e-4, ...distances.map(([, y]) => y || 1)) / 1.5;
  const last = n > 100 ? [[n, offOf({ n, counts }, p)]] : [];
  const points = [...distances, ...last].map(([x, y]) => ({ x, y }));
  const luck = [100, most].map((x) => ({ x, y: byLuck(p, x) }));
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
  const x = { ...logarithmic(100, most, words.draws_axis, short), lines: false };
  return { title: words.falling, x, y: logarithmic(10 ** Math.floor(Math.log10(smallest)), 1), marks };
}

/** @param {number} n a power of ten */
const short = (n) => (n >= 1e6 ? `${n / 1e6}M` : n >= 1000 ? `${n / 1000}k` : String(n));
