// Draws by the algorithm, one token after the other, counted by the way they came.

/** @import { Distribution, Part } from "../types.js" */
/** @typedef {() => number} Chance gives a number on [0, 1) */
/**
 * `filled`: replacements from the residual; `wrong`: what they would have been, drawn from p instead.
 * @typedef {{
 *   n: number, accepted: number, kept: Map<Part, number>, filled: Map<Part, number>, wrong: Map<Part, number>
 * }} Counts
 */

/** @returns {Counts} */
export function noDraws() {
  return { n: 0, accepted: 0, kept: new Map(), filled: new Map(), wrong: new Map() };
}

/**
 * One token: x from q, the coin, on a rejection the residual, and beside it, with the same number, p. "All others" are
 * one outcome whose chance to stay is what β leaves for them.
 * @param {Distribution} law @param {Chance} chance @param {Counts} counts
 */
export function drawOnce({ entries }, chance, counts) {
  const x = pick(entries, "q", chance());
  counts.n += 1;
  if (chance() * x.q < x.shared) {
    counts.accepted += 1;
    count(counts.kept, x);
  } else {
    const u = chance();
    count(counts.filled, pick(entries, "excess", u));
    count(counts.wrong, pick(entries, "p", u));
  }
}

/** @param {Map<Part, number>} counted @param {Part} part */
function count(counted, part) {
  counted.set(part, (counted.get(part) || 0) + 1);
}

/**
 * The entry in which u falls when they stand side by side, each as long as its `key`.
 * @param {Part[]} entries @param {"p" | "q" | "excess"} key @param {number} u
 */
export function pick(entries, key, u) {
  let left = u * entries.reduce((sum, e) => sum + e[key], 0);
  const found = entries.find((e) => {
    left -= e[key];
    return left < 0;
  });
  return found ?? entries.findLast((e) => e[key] > 0) ?? entries[0]; // a u so near to 1 that the sum has no room for it
}

/** @typedef {"filled" | "wrong"} Rule whose replacements count: from the residual, or from p */

/**
 * The share of all draws that came out as this part, either way.
 * @param {Counts} counts @param {Part} part @param {Rule} [rule]
 */
export function shareDrawn(counts, part, rule = "filled") {
  return ((counts.kept.get(part) || 0) + (counts[rule].get(part) || 0)) / Math.max(1, counts.n);
}

/** How far the draws are from p, at most. @param {Distribution} law @param {Counts} counts @param {Rule} [rule] */
export function gap({ entries }, counts, rule) {
  return Math.max(...entries.map((e) => Math.abs(shareDrawn(counts, e, rule) - e.p)));
}

/**
 * The chance of a part where replacements are drawn from p: min(p, q) + (1 − β)·p.
 * @param {Distribution} law @param {Part} part
 */
export function mistakenShare({ beta }, { p, shared }) {
  return shared + (1 - beta) * p;
}
