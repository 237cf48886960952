// The block is tested as one, by the joint ratios of its beginnings (specviz/rules/block.py).

import { accepts, near, residual, rowOf } from "./base.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const block = {
  verify({ x, px, qx, p, q, u }) {
    if (!x.length) return { accepted: 0, after: p[0], joint: [], chance: [], mass: null };
    const ratios = [1];
    for (let i = 0; i < x.length; i++) ratios.push(Math.min(1, (ratios[i] * px[i]) / qx[i]));
    const left = x.map((_, i) => excess(ratios[i], p[i], rowOf(q, i)));
    const chances = x.map((_, i) => (i + 1 < x.length ? acceptChance(ratios[i + 1], left[i + 1]) : ratios[x.length]));
    let accepted = 0;
    for (const [i, chance] of chances.entries()) if (accepts(u[i], chance, 1)) accepted = i + 1;
    const decision = { accepted, joint: ratios.slice(1), chance: chances };
    if (accepted === x.length) return { ...decision, after: p[accepted], mass: null };
    const mass = Math.min(left[accepted], 1); // a sum in single precision may be a bit more
    return { ...decision, after: residual(p[accepted], rowOf(q, accepted), ratios[accepted]), mass };
  },
  /** Joint ratios follow from p/q, and the longest beginning with u below its chance was kept. */
  *contradictions({ drafted, emitted }) {
    let [before, longest] = [1, 0];
    for (const [i, { joint, chance, u, ratio }] of drafted.entries()) {
      if (joint === null || chance === null || u === null || ratio === null) {
        yield [`drafted[${i}].joint`, "joint and chance must be there with u and both"];
        continue;
      }
      const expected = Math.min(1, before * ratio);
      if (!near(joint, expected, 1e-5))
        yield [`drafted[${i}].joint`, `must be ${expected.toFixed(6)}: the joint ratio before times p/q, at most 1`];
      if (i === drafted.length - 1 && !near(chance, joint, 1e-5))
        yield [`drafted[${i}].chance`, "must be the joint ratio: of a whole block that is the chance to keep it"];
      before = joint;
      if (u < chance) longest = i + 1;
    }
    const accepted = drafted.filter(({ verdict }) => verdict === "accepted").length;
    const cut = emitted.length === accepted; // the run ended on an accepted token
    if (accepted > longest || (accepted < longest && !cut))
      yield ["drafted", `the first ${longest} must be accepted: the longest beginning with u below its chance`];
  },
};

/** Σ max(joint·p − q, 0). @param {number} joint @param {Float32Array} p @param {Float32Array} q */
function excess(joint, p, q) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) sum += Math.max(Math.fround(Math.fround(joint) * p[j]) - q[j], 0);
  return sum;
}

/** The chance to keep a beginning where no more is kept. @param {number} joint @param {number} left */
function acceptChance(joint, left) {
  return left + (1 - joint) > 0 ? left / (left + (1 - joint)) : 1;
}
