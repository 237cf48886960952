// How a drafted block is decided: the readable form of each rule of specviz/rules.

import { draw } from "./sampling.js";

/** @import { Config, BlockInputs, Kept, Rule } from "./types.js" */

/** Whether u accepts a token: u < p/q, without a division. @param {number} u @param {number} p @param {number} q */
export function accepts(u, p, q) {
  return u * q < p;
}

/** norm(max(scale·p − q, 0)), and p itself where nothing is left. @param {Float32Array} p @param {Float32Array} q */
export function residual(p, q, scale = 1) {
  const left = new Float32Array(p.length);
  let mass = 0;
  for (let j = 0; j < p.length; j++) {
    left[j] = Math.max(Math.fround(Math.fround(scale) * p[j]) - q[j], 0);
    mass += left[j];
  }
  if (!(mass > 0)) return new Float32Array(p);
  for (let j = 0; j < left.length; j++) left[j] /= mass;
  return left;
}

/** Keep x with chance min(1, p/q), else replace it from the residual; θ below 1 keeps more. @param {number} theta */
function rejection(theta) {
  /** @param {BlockInputs} block @returns {Kept} */
  return ({ x, px, qx, p, q, u }) => {
    for (let i = 0; i < x.length; i++)
      if (!accepts(u[i], px[i], theta * qx[i])) return { accepted: i, after: residual(p[i], rowOf(q, i)) };
    return { accepted: x.length, after: p[x.length] };
  };
}

/** Draw from p at every position, and keep while the drafted token is the same.
 * @param {BlockInputs} block @returns {Kept} */
function match({ x, u }) {
  const differs = x.findIndex((id, i) => id !== u[i]);
  return { accepted: differs < 0 ? x.length : differs, after: null };
}

/** Keep x if p(x) > min(ε, δ·e^−H(p)). @param {number} epsilon @param {number} delta */
function typical(epsilon, delta) {
  /** @param {BlockInputs} block @returns {Kept} */
  return ({ x, px, p }) => {
    const bound = (/** @type {Float32Array} */ row) => Math.min(epsilon, delta * Math.exp(-entropy(row)));
    const fails = x.findIndex((_, i) => !(px[i] > bound(p[i])));
    const accepted = fails < 0 ? x.length : fails;
    return { accepted, after: p[accepted] };
  };
}

/** Test the block as one, by the joint ratios of its beginnings. @param {BlockInputs} block @returns {Kept} */
function block({ x, px, qx, p, q, u }) {
  if (!x.length) return { accepted: 0, after: p[0], joint: [], chance: [], mass: null };
  const ratios = [1];
  for (let i = 0; i < x.length; i++) ratios.push(Math.min(1, (ratios[i] * px[i]) / qx[i]));
  const left = x.map((_, i) => excess(ratios[i], p[i], rowOf(q, i)));
  const chances = x.map((_, i) => (i + 1 < x.length ? keeps(ratios[i + 1], left[i + 1]) : ratios[x.length]));
  let kept = 0;
  for (const [i, chance] of chances.entries()) if (accepts(u[i], chance, 1)) kept = i + 1;
  const told = { accepted: kept, joint: ratios.slice(1), chance: chances };
  if (kept === x.length) return { ...told, after: p[kept], mass: null };
  const mass = Math.min(left[kept], 1); // a sum in single precision may be a bit more
  return { ...told, after: residual(p[kept], rowOf(q, kept), ratios[kept]), mass };
}

/** Σ max(joint·p − q, 0). @param {number} joint @param {Float32Array} p @param {Float32Array} q */
function excess(joint, p, q) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) sum += Math.max(Math.fround(Math.fround(joint) * p[j]) - q[j], 0);
  return sum;
}

/** The chance to keep a beginning where no more is kept. @param {number} joint @param {number} left */
function keeps(joint, left) {
  return left + (1 - joint) > 0 ? left / (left + (1 - joint)) : 1;
}

/** In nats. @param {Float32Array} p */
export function entropy(p) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) sum -= p[j] * Math.log(p[j]);
  return Math.max(0, sum);
}

/** @param {Float32Array[] | null} rows @param {number} i */
function rowOf(rows, i) {
  if (!rows) throw new Error("a rejected token has a distribution that it was drawn from");
  return rows[i];
}

/** The rule that the settings name. @param {Config} config @returns {Rule} */
export function ruleOf({ verifier, theta, epsilon, delta }) {
  const tested = { drawsEach: false, testsU: true, fromResidual: true, theta: null, testsSoftmax: false, exact: true };
  switch (verifier) {
    case "rejection":
      return { ...tested, name: verifier, theta: 1, verify: rejection(1) };
    case "threshold":
      return { ...tested, name: verifier, theta, exact: theta === 1, verify: rejection(theta) };
    case "block":
      return { ...tested, name: verifier, verify: block };
    case "siblings": // decide trees alone
    case "places":
      return { ...tested, name: verifier, exact: false, testsSoftmax: verifier === "siblings", verify: rejection(1) };
    case "match":
      return { ...tested, name: verifier, drawsEach: true, testsU: false, fromResidual: false, verify: match };
    case "typical":
      return {
        ...tested,
        name: verifier,
        exact: false,
        testsU: false,
        fromResidual: false,
        verify: typical(epsilon, delta),
      };
  }
  throw new RangeError(`There is no rule ${verifier}.`);
}

/** What follows a decided block: under a rule that draws at each position the draw there. @param {Rule} rule
 * @param {Kept} kept
 * @param {number[]} drawn @param {number} u */
export function lastOf(rule, kept, drawn, u) {
  if (rule.drawsEach) return drawn[kept.accepted];
  return draw(/** @type {Float32Array} */ (kept.after), u);
}
