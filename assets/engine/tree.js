// A block that branches: which row of a cache follows which, and what a row sees (specviz/engine/backends/tree.py).

const MOST = 128; // rows of a tree, the last token of the text among them

/** The rows of a cache after its settled text: row i follows row `parents[i]`, −1 the last position of the text. */
export class Tree {
  /** @type {number[]} */
  parents = [];
  /** @type {number[]} */
  depths = [];

  get length() {
    return this.parents.length;
  }

  /** Rows that join. @param {number[]} parents */
  add(parents) {
    if (this.length + parents.length > MOST) throw new Error(`a block that branches has at most ${MOST} rows`);
    for (const parent of parents) {
      this.parents.push(parent);
      this.depths.push(parent < 0 ? 0 : this.depths[parent] + 1);
    }
  }

  /** Keep the first rows. @param {number} rows */
  cut(rows) {
    this.parents.length = Math.min(this.length, rows);
    this.depths.length = this.parents.length;
  }

  /** What a row sees after the text: its ancestors and itself, from the text on. @param {number} row */
  path(row) {
    const found = [];
    for (let at = row; at >= 0; at = this.parents[at]) found.push(at);
    return found.reverse();
  }
}

/** How the blocks of a run branch (specviz/engine/draft/growth.py, specviz/config.py); null for chains.
 * @param {import("./types.js").Config} config */
export function treePlanOf({ K, tree = "off", children = "", nodes = 0 }) {
  if (tree === "off" || !K) return null;
  if (tree === "dynamic") return new TreePlan([], nodes);
  const given = children.split("-").map(Number);
  return new TreePlan(
    Array.from({ length: K }, (_, depth) => given[Math.min(depth, given.length - 1)]),
    0,
  );
}

/** `widths` by depth of a static tree; of a dynamic one its `nodes`, and the `breadth` of a level that is fed. */
export class TreePlan {
  /** @param {number[]} widths @param {number} nodes */
  constructor(widths, nodes) {
    this.widths = widths;
    this.nodes = nodes;
    this.breadth = Math.ceil(Math.sqrt(nodes));
  }

  /** Tokens drafted at most where no more than `depth` follow each other. @param {number} depth */
  nodesTo(depth) {
    if (this.nodes) return depth ? Math.min(this.nodes, this.breadth * (1 + this.breadth * (depth - 1))) : 0;
    return total(this.widths.slice(0, depth));
  }

  /** Tokens that a drafter is fed at most: all but those of the last level. @param {number} depth */
  fed(depth) {
    return this.nodes ? this.breadth * (depth - 1) : total(this.widths.slice(0, depth - 1));
  }

  /** Positions after the text that a cache needs: all of a tree lies there until one path is kept. A drafter may be fed
   * more than what is drafted in the end. @param {number} depth */
  places(depth) {
    return Math.max(this.nodesTo(depth), this.fed(depth));
  }

  /** The depth up to `depth` for which a drafter needs no more than `room` places. @param {number} depth
   * @param {number} room */
  fitting(depth, room) {
    let found = depth;
    while (found > 0 && this.fed(found) > room) found--;
    return Math.max(0, found);
  }
}

/** Nodes of all levels. @param {number[]} widths */
function total(widths) {
  let [all, level] = [0, 1];
  for (const width of widths) {
    level *= width;
    all += level;
  }
  return all;
}

/** The tokens of a tree that a drafter's cache holds after the text, by number. */
export class CachedTree {
  /** @type {number[]} */
  ids = [];
  /** @type {number[]} */
  parents = [];

  /** @param {number[]} ids @param {number[]} parents */
  add(ids, parents) {
    this.ids.push(...ids);
    this.parents.push(...parents);
  }

  /** The longest path whose ids are those of `tokens`, what joined the text. @param {number[]} tokens */
  path(tokens) {
    /** @type {number[]} */
    const found = [];
    for (const id of tokens) {
      const at = found[found.length - 1] ?? -1;
      const here = this.parents.findIndex((parent, i) => parent === at && this.ids[i] === id);
      if (here < 0) break;
      found.push(here);
    }
    return found;
  }
}
