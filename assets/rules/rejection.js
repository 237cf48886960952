// The rule of the papers: keep x with chance min(1, p/q), else replace it from the residual
// (specviz/rules/rejection.py).

import { accepts, near } from "./base.js";

/** @import { Config, Forms } from "./types.js" */

/** u is compared with p/q/θ. @param {(config: Config) => number} theta @returns {Forms} */
export const byRatio = (theta) => ({
  *contradictions({ drafted }, config) {
    for (const [i, { u, p, q, verdict }] of drafted.entries()) {
      if (u === null || p === null || q === null || verdict === "unexamined") continue;
      if (near(theta(config) * u * q, p, 1e-4)) continue; // single precision does not tell them apart: either is right
      const right = accepts(u, p, theta(config) * q) ? "accepted" : "rejected";
      if (verdict !== right)
        yield [`drafted[${i}].verdict`, `must be ${right}: u is ${u.toFixed(6)} and p/q ${p.toFixed(6)}/${q.toFixed(6)}`];
    }
  },
});

export const rejection = byRatio(() => 1);
