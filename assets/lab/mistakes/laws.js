// What the rules make of laws.

/** @import { Law } from "./types.js" */

const EPSILON = 0.09; // Medusa's own (posterior_threshold, posterior_alpha)
const DELTA = 0.3;

/** max(p − q, 0), scaled up to 1; p itself where nothing is left. @param {Law} p @param {Law} q @returns {Law} */
export function residual(p, q) {
  let mass = 0;
  const excess = p.map((p_x, i) => {
    const more = Math.max(p_x - q[i], 0);
    mass += more;
    return more;
  });
  return mass > 0 ? excess.map((more) => more / mass) : p;
}

/** @param {Law} values @returns {Law} */
export function softmax(values) {
  const powers = values.map(Math.exp);
  const sum = powers.reduce((a, b) => a + b, 0);
  return powers.map((power) => power / sum);
}

/** The token of the largest chance, the first of several. @param {Law} law */
export const largest = (law) => law.indexOf(Math.max(...law));

/** p where x is not: what the residual is where q is 1 at x. @param {Law} p @param {number} x @returns {Law} */
export const without = (p, x) =>
  residual(
    p,
    p.map((_, i) => (i === x ? 1 : 0)),
  );

/** The k largest alone, scaled up to 1. @param {Law} law @param {number} k @returns {Law} */
export function top(law, k) {
  const kept = [...law.keys()].sort((i, j) => law[j] - law[i]).slice(0, k);
  const mass = kept.reduce((sum, i) => sum + law[i], 0);
  return law.map((chance, i) => (kept.includes(i) ? chance / mass : 0));
}

/** min(ε, δ·e^−H(p)). @param {Law} p */
export function typicalBound(p) {
  const entropy = p.reduce((sum, p_x) => (p_x > 0 ? sum - p_x * Math.log(p_x) : sum), 0);
  return Math.min(EPSILON, DELTA * Math.exp(-entropy));
}

/**
 * h of block verification: the chance to keep i tokens where no more are kept.
 * @param {number} joint p_i @param {Law} scaled p_i·p @param {Law} q
 */
export function keeps(joint, scaled, q) {
  const left = scaled.reduce((sum, p_x, i) => sum + Math.max(p_x - q[i], 0), 0);
  return left + (1 - joint) > 0 ? left / (left + (1 - joint)) : 1;
}

/** Total variation, ½ Σ |a − b|. @param {Law} a @param {Law} b */
export const distance = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / 2;
