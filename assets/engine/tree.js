// A block that branches: which row of a cache follows which, and what a row sees (specviz/engine/backends/tree.py).

const MAX_ROWS = 128; // of a tree, the last token of the text among them

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
    if (this.length + parents.length > MAX_ROWS) throw new Error(`a block that branches has at most ${MAX_ROWS} rows`);
    for (const parent of parents) {
      this.parents.push(parent);
      this.depths.push(parent < 0 ? 0 : this.depths[parent] + 1);
    }
  }

  /** Keep the first rows. @param {number} rows */
  truncate(rows) {
    this.parents.length = Math.min(this.length, rows);
    this.depths.length = this.parents.length;
  }

  /** What a row sees after the text: its ancestors and itself, from the text on. @param {number} row */
  path(row) {
    const rows = [];
    for (let ancestor = row; ancestor >= 0; ancestor = this.parents[ancestor]) rows.push(ancestor);
    return rows.reverse();
  }
}

import { mostOf } from "../trace/tree.js";

/** @import { Config } from "./types.js" */

/** How the blocks of a run branch (specviz/engine/draft/tree_plan.py, specviz/config.py); null for chains.
 * @param {Config} config */
export function treePlanOf(config) {
  const { K, tree = "off", children = "", nodes = 0 } = config;
  if (tree === "off" || !K) return null;
  if (tree === "dynamic") return new TreePlan(config, [], nodes);
  const counts = children.split("-").map(Number);
  const widths = Array.from({ length: K }, (_, depth) => counts[Math.min(depth, counts.length - 1)]);
  return new TreePlan(config, widths, 0);
}

/** `widths` by depth of a static tree; of a dynamic one its `nodes`, and the `breadth` of a level that is fed. */
export class TreePlan {
  /** @param {Config} config @param {number[]} widths @param {number} nodes */
  constructor(config, widths, nodes) {
    this.config = config;
    this.widths = widths;
    this.nodes = nodes;
    this.breadth = Math.ceil(Math.sqrt(nodes));
  }

  /** Tokens drafted at most where no more than `depth` follow each other. @param {number} depth */
  nodesTo(depth) {
    return mostOf({ ...this.config, K: depth });
  }

  /** Tokens that a drafter is fed at most: all but those of the last level. @param {number} depth */
  fedNodes(depth) {
    return this.nodes ? this.breadth * (depth - 1) : this.nodesTo(depth - 1);
  }

  /** Positions after the text that a cache needs: all of a tree lies there until one path is kept. A drafter may be fed
   * more than what is drafted in the end. @param {number} depth */
  positions(depth) {
    return Math.max(this.nodesTo(depth), this.fedNodes(depth));
  }

  /** The depth up to `depth` for which a drafter needs no more than `positions`. @param {number} depth
   * @param {number} positions */
  depthThatFits(depth, positions) {
    let fitting = depth;
    while (fitting > 0 && this.fedNodes(fitting) > positions) fitting--;
    return Math.max(0, fitting);
  }
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
    const path = [];
    for (const id of tokens) {
      const last = path[path.length - 1] ?? -1;
      const next = this.parents.findIndex((parent, i) => parent === last && this.ids[i] === id);
      if (next < 0) break;
      path.push(next);
    }
    return path;
  }
}
