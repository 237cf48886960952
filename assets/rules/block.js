// Block verification: the block is tested as one, by the joint ratios of its beginnings (specviz/rules/block.py).

import { near } from "./base.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const block = {
  /** Joint ratios follow from p/q, and the longest beginning with u below its chance was kept. */
  *contradictions({ drafted, emitted }) {
    let [before, longest] = [1, 0];
    for (const [i, { joint, chance, u, ratio }] of drafted.entries()) {
      if (joint === null || chance === null || u === null || ratio === null) {
        yield [`drafted[${i}].joint`, "joint and chance must be there with u and both"];
        continue;
      }
      const product = Math.min(1, before * ratio);
      if (!near(joint, product, 1e-5))
        yield [`drafted[${i}].joint`, `must be ${product.toFixed(6)}: the joint ratio before times p/q, at most 1`];
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
