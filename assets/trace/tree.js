// A drafted block, as its tokens tell it (specviz/trace/tree.py): a chain is the tree in which each token has a child.

/** @import { Drafted, Round } from "./types.js" */
/** @typedef {{ parent?: number | null }} Node of a trace, or of a picture of it */
/** @typedef {Node & { verdict: Drafted["verdict"] }} DecidedNode */

/** Whether a tree was drafted. @param {{ drafted: Node[] }} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => (parent ?? null) !== null);

/** Of each token the one that it follows, −1 for the text. @param {Node[]} drafted */
export const parents = (drafted) => drafted.map(({ parent }, i) => parent ?? i - 1);

/** Of the text, then of each token, those that follow it, by rank. @param {Node[]} drafted */
export function children(drafted) {
  /** @type {number[][]} */
  const nodes = [[], ...drafted.map(() => [])];
  for (const [i, parent] of parents(drafted).entries()) nodes[parent + 1].push(i);
  return nodes;
}

/** The accepted tokens, each of which follows the one before. @param {DecidedNode[]} drafted */
export const path = (drafted) => drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [i] : []));

/** Where that path ends, −1 at the text. @param {DecidedNode[]} drafted */
export const endOfPath = (drafted) => path(drafted).at(-1) ?? -1;

/** The tokens that stand in the running text: of a tree the path that stays, and what was turned down where it ends.
 * @param {Round} round */
export function textNodes(round) {
  const { drafted } = round;
  if (!branches(round)) return drafted.map((_, i) => i);
  return [...path(drafted), ...children(drafted)[endOfPath(drafted) + 1]];
}

/** A token for each depth that the tree reaches: that of the path; where it ends the last that was turned down; then
 * any. @param {Drafted[]} drafted */
export function pathByDepth(drafted) {
  /** @type {Map<number, Drafted>} */
  const byDepth = new Map();
  for (const [i, depth] of depths(drafted).entries()) {
    const entry = byDepth.get(depth);
    const { verdict } = drafted[i];
    if (!entry || verdict === "accepted" || (verdict === "rejected" && entry.verdict === "unexamined"))
      byDepth.set(depth, drafted[i]);
  }
  return [...byDepth].sort(([a], [b]) => a - b).map(([, one]) => one);
}

/** The tokens that were examined, in the order of the walk: siblings by rank, then the children of the one that
 * stayed. @param {DecidedNode[]} drafted */
export function examinedNodes(drafted) {
  const below = children(drafted);
  /** @type {number[]} */
  const nodes = [];
  for (let at = -1; at < 0 || drafted[at].verdict === "accepted"; at = nodes[nodes.length - 1]) {
    const here = below[at + 1].filter((i) => drafted[i].verdict !== "unexamined");
    if (!here.length) break;
    nodes.push(...here);
  }
  return nodes;
}

/** How far each token reaches past the text, from 1. @param {Node[]} drafted */
export function depths(drafted) {
  /** @type {number[]} */
  const depths = [];
  for (const parent of parents(drafted)) depths.push(1 + (parent >= 0 ? depths[parent] : 0));
  return depths;
}

/**
 * Tokens drafted in a round at most (specviz/config.py, `most`).
 * @param {{ K: number, tree?: string, children?: string, nodes?: number }} config
 */
export function mostOf({ K, tree, children, nodes }) {
  if ((tree ?? "off") === "off" || !K) return K;
  if (tree === "dynamic") {
    const breadth = Math.ceil(Math.sqrt(nodes ?? 0));
    return Math.min(nodes ?? 0, breadth * (1 + breadth * (K - 1)));
  }
  const widths = (children ?? "").split("-").map(Number);
  let [total, level] = [0, 1];
  for (let depth = 0; depth < K; depth++) {
    level *= widths[Math.min(depth, widths.length - 1)];
    total += level;
  }
  return total;
}
