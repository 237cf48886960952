// Keep what is not improbable: the acceptance scheme of Medusa (specviz/rules/typical.py).

import { near } from "./base.js";

/** @import { Config, Forms } from "./types.js" */

/** min(ε, δ·e^−H), which p(x) must exceed. @param {Config} config @param {number} entropy */
const bound = ({ epsilon, delta }, entropy) => Math.min(epsilon, delta * Math.exp(-entropy));

/** @type {Forms} */
export const typical = {
  *contradictions({ drafted }, config) {
    for (const [i, { position, p, verdict }] of drafted.entries()) {
      if (!position || p === null || verdict === "unexamined") continue;
      const least = bound(config, position.p_entropy);
      if ((verdict === "accepted") !== p > least && !near(p, least, 1e-4))
        yield [`drafted[${i}].verdict`, `must be accepted if p is above ${least.toFixed(6)}, else rejected`];
    }
  },
};
