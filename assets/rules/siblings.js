// Not exact: every sibling is tested with the same p and the draft's whole softmax (specviz/rules/siblings.py).

import { accepts, residual } from "./base.js";
import { begun, tested } from "./recursive.js";
import { rejection } from "./rejection.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const siblings = {
  ...rejection,
  walk(tree) {
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
  },
};
