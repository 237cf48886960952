// How a drafted tree is walked from the text by each rule that does (specviz/rules: recursive, walk, siblings, places).

import { accepts, residual } from "./rules.js";

/** @import { TreeInputs, Config, Walk } from "./types.js" */
/** @typedef {(p: Float32Array, q: Float32Array) => Float32Array} Left */

/** The walk of the rule that the settings name. @param {Config} config @returns {(tree: TreeInputs) => Walk} */
export function walkOf({ verifier, theta }) {
  /** @type {Record<string, (tree: TreeInputs) => Walk>} */
  const known = { match: matched, siblings, places, threshold: (tree) => recursive(tree, theta), rejection: recursive };
  if (!Object.hasOwn(known, verifier)) throw new RangeError(`the rule ${verifier} verifies chains.`);
  return (tree) => known[verifier](tree);
}

/** @returns {Walk} */
const begun = () => ({ path: [], tested: [], p: [], q: [], after: null, last: null, mass: null });

/** @param {Walk} walk @param {number} node @param {Float32Array} p @param {Float32Array} q */
function tested(walk, node, p, q) {
  walk.tested.push(node);
  walk.p.push(p);
  walk.q.push(q);
}

/** Siblings one after the other, each against what is left of p (SpecInfer; recursive rejection sampling).
 * @param {TreeInputs} tree @param {number} theta @param {Left} left @returns {Walk} */
function recursive(tree, theta = 1, left = residual) {
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

/** The target draws a token, and while it is among the children the walk goes on there. @param {TreeInputs} tree
 * @returns {Walk} */
function matched(tree) {
  const walk = begun();
  for (let at = -1; ; ) {
    const y = tree.y(at);
    const kept = tree.children[at + 1].find((node) => {
      tested(walk, node, tree.p[at + 1], tree.q(node));
      return tree.x[node] === y;
    });
    if (kept === undefined) return { ...walk, last: y };
    walk.path.push(kept);
    at = kept;
  }
}

/** Not exact: every sibling is tested with the same p and the draft's whole softmax. @param {TreeInputs} tree
 * @returns {Walk} */
function siblings(tree) {
  const walk = begun();
  let p = tree.p[0];
  let here = tree.children[0];
  while (here.length) {
    let s = p;
    const kept = here.find((node) => {
      s = tree.s(node);
      tested(walk, node, p, s);
      return accepts(tree.u[node], p[tree.x[node]], s[tree.x[node]]);
    });
    if (kept === undefined) return { ...walk, after: residual(p, s) };
    walk.path.push(kept);
    p = tree.p[kept + 1];
    here = tree.children[kept + 1];
  }
  return { ...walk, after: p };
}

/** Not exact once a filter cuts the lists: the residual is subtracted by place, not by token. @param {TreeInputs} tree
 * @returns {Walk} */
function places(tree) {
  const walk = recursive(tree, 1, (p, q) => {
    const left = excess(p, q);
    const mass = left.reduce((sum, value) => sum + value, 0);
    return mass > 0 ? left.map((value) => value / mass) : Float32Array.from(p);
  });
  const last = walk.tested.length - 1;
  if (last < 0 || walk.path.includes(walk.tested[last])) return walk;
  return { ...walk, mass: excess(walk.p[last], walk.q[last]).reduce((sum, value) => sum + value, 0) };
}

/** @param {Float32Array} p @param {Float32Array} q */
function excess(p, q) {
  const possible = (/** @type {Float32Array} */ row) => [...row.keys()].filter((id) => row[id] !== 0);
  const [ofP, ofQ] = [possible(p), possible(q)];
  const left = Float32Array.from(p);
  for (let i = 0; i < Math.min(ofP.length, ofQ.length); i++) left[ofP[i]] -= q[ofQ[i]];
  return left.map((value) => Math.max(0, value));
}

/** Temperature 0: a child stays where it is what the target would write. @param {number[]} x @param {number[]} y
 * @param {number[][]} children */
export function walkGreedy(x, y, children) {
  /** @type {{ path: number[], tested: number[] }} */
  const walk = { path: [], tested: [] };
  for (let at = -1; ; ) {
    const kept = children[at + 1].find((node) => {
      walk.tested.push(node);
      return x[node] === y[at + 1];
    });
    if (kept === undefined) return walk;
    walk.path.push(kept);
    at = kept;
  }
}
