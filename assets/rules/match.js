// Draw from p at every position, and keep while the drafted token is the same (specviz/rules/match.py).

import { emptyWalk, recordTest } from "./recursive.js";

/** @import { Forms } from "./types.js" */

/** @type {Forms} */
export const match = {
  verify({ x, u }) {
    const differs = x.findIndex((id, i) => id !== u[i]);
    return { accepted: differs < 0 ? x.length : differs, after: null };
  },
  /** The target draws a token, and while it is among the children the walk goes on there. */
  walk(tree) {
    const walk = emptyWalk();
    for (let at = -1; ; ) {
      const y = tree.y(at);
      const child = tree.children[at + 1].find((node) => {
        recordTest(walk, node, tree.p[at + 1], tree.q(node));
        return tree.x[node] === y;
      });
      if (child === undefined) return { ...walk, last: y };
      walk.path.push(child);
      at = child;
    }
  },
};
