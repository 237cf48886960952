// Not exact: every sibling is tested with the same p and the draft's whole softmax (specviz/rules/siblings.py).

import { accepts, residual } from "./base.js";
import { emptyWalk, recordTest } from "./recursive.js";
import { rejection } from "./rejection.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const siblings = {
  ...rejection,
  walk(tree) {
    const walk = emptyWalk();
    let p = tree.p[0];
    let here = tree.children[0];
    while (here.length) {
      let s = p;
      const child = here.find((node) => {
        s = tree.s(node);
        recordTest(walk, node, p, s);
        return accepts(tree.u[node], p[tree.x[node]], s[tree.x[node]]);
      });
      if (child === undefined) return { ...walk, after: residual(p, s) };
      walk.path.push(child);
      p = tree.p[child + 1];
      here = tree.children[child + 1];
    }
    return { ...walk, after: p };
  },
};
