// Temperature 0, whatever the rule (specviz/rules/greedy.py).

/** A child stays where it is what the target would write. @param {number[]} x @param {number[]} y
 * @param {number[][]} children */
export function walkGreedy(x, y, children) {
  /** @type {{ path: number[], tested: number[] }} */
  const walk = { path: [], tested: [] };
  for (let at = -1; ; ) {
    const child = children[at + 1].find((node) => {
      walk.tested.push(node);
      return x[node] === y[at + 1];
    });
    if (child === undefined) return walk;
    walk.path.push(child);
    at = child;
  }
}
