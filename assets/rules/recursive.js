// Siblings one after the other, each against what is left of p (specviz/rules/recursive.py).

import { accepts, residual } from "./base.js";

/** @import { TreeInputs, Walk } from "./types.js" */
/** @typedef {(p: Float32Array, q: Float32Array) => Float32Array} Left */

/** @returns {Walk} */
export const begun = () => ({ path: [], tested: [], p: [], q: [], after: null, last: null, mass: null });

/** @param {Walk} walk @param {number} node @param {Float32Array} p @param {Float32Array} q */
export function tested(walk, node, p, q) {
  walk.tested.push(node);
  walk.p.push(p);
  walk.q.push(q);
}

/** SpecInfer; recursive rejection sampling. @param {TreeInputs} tree @param {number} theta @param {Left} left
 * @returns {Walk} */
export function recursive(tree, theta = 1, left = residual) {
  const walk = begun();
  let p = tree.p[0];
  let here = tree.children[0];
  while (here.length) {
    const kept = here.find((node) => {
      const [q, x] = [tree.q(node), tree.x[node]];
      tested(walk, node, p, q);
      if (accepts(tree.u[node], p[x], theta * q[x])) return true;
      p = left(p, q);
      return false;
    });
    if (kept === undefined) break; // what is left of p gives the token in their place
    walk.path.push(kept);
    p = tree.p[kept + 1];
    here = tree.children[kept + 1];
  }
  return { ...walk, after: p };
}
