// Not exact once a filter cuts the lists: the residual is subtracted by place, not by token (specviz/rules/places.py).

import { recursive } from "./recursive.js";
import { rejection } from "./rejection.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const places = {
  ...rejection,
  walk(tree) {
    const walk = recursive(tree, 1, (p, q) => {
      const left = excess(p, q);
      const mass = left.reduce((sum, value) => sum + value, 0);
      return mass > 0 ? left.map((value) => value / mass) : Float32Array.from(p);
    });
    const last = walk.tested.length - 1;
    if (last < 0 || walk.path.includes(walk.tested[last])) return walk;
    return { ...walk, mass: excess(walk.p[last], walk.q[last]).reduce((sum, value) => sum + value, 0) };
  },
};

/** @param {Float32Array} p @param {Float32Array} q */
function excess(p, q) {
  const possible = (/** @type {Float32Array} */ row) => [...row.keys()].filter((id) => row[id] !== 0);
  const [ofP, ofQ] = [possible(p), possible(q)];
  const left = Float32Array.from(p);
  for (let i = 0; i < Math.min(ofP.length, ofQ.length); i++) left[ofP[i]] -= q[ofQ[i]];
  return left.map((value) => Math.max(0, value));
}
