// The numbers of one round → the plain values of its event, outside of its timed part (specviz/engine/events.py).

import { largestIds } from "./sampling.js";

/** @import { Text } from "./text.js" */
/** @import { Position, Residual, VerifyResult } from "./types.js" */

const TOP_ENTRIES = 8; // entries of p and of q that are kept, beside the token in question

/** The first `rows` positions of a decided block, `tested` of them drafted, and the residual if the last of these
 * was replaced from it.
 * @param {VerifyResult} result @param {number} rows @param {number} tested @param {boolean} replaced
 * @param {boolean} argmax
 * @param {Text} text @returns {[Position[], Residual | null]} */
export function positionsOf(result, rows, tested, replaced, argmax, text) {
  const { ids, last, best, p, q, after } = result;
  if (best)
    return [
      best.slice(0, rows).map((y, i) => oneHotPosition(y, i < tested ? ids[i] : null, text)),
      replaced ? oneHotResidual(last, text) : null,
    ];
  const positions = Array.from({ length: rows }, (_, i) => {
    const row = /** @type {Float32Array[]} */ (p)[i];
    return i < tested && q ? draftedPosition(row, q[i], ids[i], argmax, text) : undraftedPosition(row, last, text);
  });
  if (!replaced || !after) return [positions, null];
  return [positions, residualOf(after, last, 1 - (positions[positions.length - 1].beta ?? 0), text)];
}

/** In nats. @param {Float32Array} p */
function entropy(p) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) sum -= p[j] * Math.log(p[j]);
  return Math.max(0, sum);
}

/** @param {number[]} values */
function rest(values) {
  return Math.max(0, 1 - values.reduce((sum, value) => sum + value, 0));
}

/** @param {Float32Array} p @param {Float32Array} s what the draft gave @param {number} x @param {boolean} argmax
 * @param {Text} text @returns {Position} */
function draftedPosition(p, s, x, argmax, text) {
  const largestOfS = largestIds(s, TOP_ENTRIES);
  const ids = [...new Set([...largestIds(p, TOP_ENTRIES), x, ...largestOfS])].filter((id) => p[id] > 0 || s[id] > 0);
  let [beta, dot] = [0, 0];
  for (let j = 0; j < p.length; j++) {
    beta += Math.min(p[j], s[j]);
    dot += p[j] * s[j];
  }
  const shared = { p_rest: rest(ids.map((id) => p[id])), p_entropy: entropy(p), product: Math.min(dot, 1) };
  const sRest = rest(ids.map((id) => s[id]));
  if (argmax) {
    const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: Number(id === x) }));
    const own = { entries: ids.map((id) => s[id]), rest: sRest, beta: Math.min(beta, 1), entropy: entropy(s) };
    return { ...shared, entries, q_rest: 0, beta: p[x], q_entropy: 0, best: p[x], own };
  }
  const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: s[id] }));
  return {
    ...shared,
    entries,
    q_rest: sRest,
    beta: Math.min(beta, 1),
    q_entropy: entropy(s),
    best: p[largestOfS[0]],
    own: null,
  };
}

/** What a bonus or plain token was drawn from. @param {Float32Array} p @param {number} x
 * @param {Text} text @returns {Position} */
function undraftedPosition(p, x, text) {
  const ids = [...new Set([...largestIds(p, TOP_ENTRIES), x])].filter((id) => p[id] > 0);
  const entries = ids.map((id) => ({ token: text.token(id), p: p[id], q: null }));
  return { ...UNDRAFTED, entries, p_rest: rest(ids.map((id) => p[id])), p_entropy: entropy(p) };
}

const UNDRAFTED = { q_rest: null, beta: null, q_entropy: null, product: null, best: null, own: null };

/** @param {Float32Array} after @param {number} x @param {number} mass @param {Text} text @returns {Residual} */
function residualOf(after, x, mass, text) {
  const ids = [...new Set([...largestIds(after, TOP_ENTRIES).filter((id) => after[id] > 0), x])];
  const entries = ids.map((id) => ({ token: text.token(id), probability: after[id] }));
  return { entries, rest: rest(ids.map((id) => after[id])), mass };
}

/** Greedy: y has all of p, and x all of q where something was drafted. @param {number} y @param {number | null} x
 * @param {Text} text @returns {Position} */
function oneHotPosition(y, x, text) {
  if (x === null) return { ...UNDRAFTED, entries: [{ token: text.token(y), p: 1, q: null }], p_rest: 0, p_entropy: 0 };
  const same = Number(x === y);
  const entries = [{ token: text.token(y), p: 1, q: same }];
  if (!same) entries.push({ token: text.token(x), p: 0, q: 1 });
  return {
    entries,
    p_rest: 0,
    q_rest: 0,
    beta: same,
    p_entropy: 0,
    q_entropy: 0,
    product: same,
    best: same,
    own: null,
  };
}

/** All of p is left. @param {number} y @param {Text} text @returns {Residual} */
function oneHotResidual(y, text) {
  return { entries: [{ token: text.token(y), probability: 1 }], rest: 0, mass: 1 };
}
