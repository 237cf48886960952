// What the rules make of distributions.

import { sum } from "../../trace/events.js";

/** @import { Distribution } from "./types.js" */

const TYPICAL_EPSILON = 0.09; // Medusa's own (posterior_threshold, posterior_alpha)
const TYPICAL_DELTA = 0.3;

/**
 * max(p − q, 0), scaled up to 1; p itself where nothing is left.
 * @param {Distribution} p @param {Distribution} q @returns {Distribution}
 */
export function residual(p, q) {
  let mass = 0;
  const excess = p.map((p_x, i) => {
    const more = Math.max(p_x - q[i], 0);
    mass += more;
    return more;
  });
  return mass > 0 ? excess.map((more) => more / mass) : p;
}

/** So that it is 1 together. @param {readonly number[]} weights @returns {Distribution} */
export function normalized(weights) {
  const mass = sum(weights);
  return weights.map((weight) => weight / mass);
}

/** @param {Distribution} values @returns {Distribution} */
export const softmax = (values) => normalized(values.map(Math.exp));

/** The token of the largest chance, the first of several. @param {Distribution} p */
export const largest = (p) => p.indexOf(Math.max(...p));

/**
 * p where x is not: what the residual is where q is 1 at x.
 * @param {Distribution} p @param {number} x @returns {Distribution}
 */
export const without = (p, x) =>
  residual(
    p,
    p.map((_, i) => (i === x ? 1 : 0)),
  );

/** The tokens of the k largest chances, the largest first. @param {Distribution} p @param {number} k */
export const likeliest = (p, k) => [...p.keys()].sort((i, j) => p[j] - p[i]).slice(0, k);

/** The k largest alone, scaled up to 1. @param {Distribution} p @param {number} k @returns {Distribution} */
export function top(p, k) {
  const best = likeliest(p, k);
  const mass = sum(best.map((i) => p[i]));
  return p.map((chance, i) => (best.includes(i) ? chance / mass : 0));
}

/** H(p), in nats. @param {Distribution} p */
export const entropy = (p) => p.reduce((sum, p_x) => (p_x > 0 ? sum - p_x * Math.log(p_x) : sum), 0);

/** min(ε, δ·e^−H(p)). @param {Distribution} p */
export const typicalBound = (p) => Math.min(TYPICAL_EPSILON, TYPICAL_DELTA * Math.exp(-entropy(p)));

/**
 * h of block verification: the chance to keep i tokens where no more are kept.
 * @param {number} joint p_i @param {Distribution} scaled p_i·p @param {Distribution} q
 */
export function keeps(joint, scaled, q) {
  const left = scaled.reduce((sum, p_x, i) => sum + Math.max(p_x - q[i], 0), 0);
  return left + (1 - joint) > 0 ? left / (left + (1 - joint)) : 1;
}

/** Total variation, ½ Σ |a − b|. @param {Distribution} a @param {Distribution} b */
export const distance = (a, b) => a.reduce((sum, x, i) => sum + Math.abs(x - b[i]), 0) / 2;
