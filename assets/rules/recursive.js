// Siblings one after the other, each against what is left of p (specviz/rules/rejection.py).

import { accepts, residual } from "./base.js";

/** @import { TreeInputs, Walk } from "./types.js" */
/** @typedef {(p: Float32Array, q: Float32Array) => Float32Array} Residual */

/** @returns {Walk} */
export const emptyWalk = () => ({ path: [], tested: [], p: [], q: [], after: null, last: null, mass: null });

/** @param {Walk} walk @param {number} node @param {Float32Array} p @param {Float32Array} q */
export function recordTest(walk, node, p, q) {
  walk.tested.push(node);
  walk.p.push(p);
  walk.q.push(q);
}

/** SpecInfer; recursive rejection sampling. @param {TreeInputs} tree @param {number} theta @param {Residual} residualOf
 * @returns {Walk} */
export function recursive(tree, theta = 1, residualOf = residual) {
  const walk = emptyWalk();
  let p = tree.p[0];
  let here = tree.children[0];
  while (here.length) {
    const child = here.find((node) => {
      const [q, x] = [tree.q(node), tree.x[node]];
      recordTest(walk, node, p, q);
      if (accepts(tree.u[node], p[x], theta * q[x])) return true;
      p = residualOf(p, q);
      return false;
    });
    if (child === undefined) break; // what is left of p gives the token in their place
    walk.path.push(child);
    p = tree.p[child + 1];
    here = tree.children[child + 1];
  }
  return { ...walk, after: p };
}
