// The formula of the speedup, in one-token passes of the target, as specviz/acceptance.py has it; here v is a line
// through what one block length cost.

import { expectedTokens } from "../trace/events.js";

export const ALPHAS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
export const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]; // the K of the map
const MOST_K = 16; // the largest K of a run (specviz/config.py)

/** @typedef {{ c: number, v: number, at: number }} Cost a draft step, a check, the K at which the check was measured */

/** v at another K: 1 at one token, and a line through what was measured. @param {Cost} cost @param {number} K */
export function checkCost({ v, at }, K) {
  return 1 + ((v - 1) * K) / Math.max(1, at);
}

/** @param {number} alpha @param {number} K @param {Cost} cost */
export function speedupOf(alpha, K, cost) {
  return speedupFor(alpha, K, cost.c, checkCost(cost, K));
}

/** The same at a v of this very K. @param {number} alpha @param {number} K @param {number} c @param {number} v */
export function speedupFor(alpha, K, c, v) {
  return expectedTokens(alpha, K) / (K * c + v);
}

/** The K that none is faster than, which may lie beyond the map. @param {number} alpha @param {Cost} cost */
export function bestOf(alpha, cost) {
  let best = 1;
  for (let K = 2; K <= MOST_K; K++) if (speedupOf(alpha, K, cost) > speedupOf(alpha, best, cost)) best = K;
  return best;
}

/** The shade of a speedup. @param {number} speedup */
export function level(speedup) {
  if (speedup < 0.995) return "slower"; // 0.995 is written 1.00
  return String(Math.max(0, Math.min(6, Math.floor((speedup - 1) * 2))));
}

/** Shown in a map. @param {HTMLElement | SVGElement} node @param {number} speedup */
export function shadeNode(node, speedup) {
  node.dataset.level = level(speedup);
  node.style.setProperty("--level", level(speedup));
  return node;
}

/** Where a value lies in a rising list, counted in entries. @param {number[]} list @param {number} value */
export function fractionalIndex(list, value) {
  const above = list.findIndex((entry) => entry >= value);
  if (above < 1) return above < 0 ? list.length - 1 : 0;
  return above - (list[above] - value) / (list[above] - list[above - 1]);
}
