// A drafted block that branches, as its tokens tell it (specviz/trace/tree.py).

/** @import { Config, Drafted, Round } from "./types.js" */

/** Whether a tree was drafted. @param {Round} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => (parent ?? null) !== null);

/** Of each token the one that it follows, −1 for the text. @param {Drafted[]} drafted */
export const parents = (drafted) => drafted.map(({ parent }, i) => parent ?? i - 1);

/** Of the text, then of each token, those that follow it. @param {Drafted[]} drafted */
export function children(drafted) {
  /** @type {number[][]} */
  const found = [[], ...drafted.map(() => [])];
  for (const [i, parent] of parents(drafted).entries()) found[parent + 1].push(i);
  return found;
}

/** The tokens that stand in the running text: of a tree the path that stays, and what was turned down where it ends.
 * @param {Round} round */
export function inLine(round) {
  const { drafted } = round;
  if (!branches(round)) return drafted.map((_, i) => i);
  const kept = drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [i] : []));
  return [...kept, ...children(drafted)[kept.length ? kept[kept.length - 1] + 1 : 0]];
}

/** A token for each depth that the tree reaches: that of the path; where it ends the last that was turned down; then
 * any. @param {Drafted[]} drafted */
export function walked(drafted) {
  /** @type {Map<number, Drafted>} */
  const byDepth = new Map();
  for (const [i, depth] of depths(drafted).entries()) {
    const held = byDepth.get(depth);
    const { verdict } = drafted[i];
    if (!held || verdict === "accepted" || (verdict === "rejected" && held.verdict === "unexamined"))
      byDepth.set(depth, drafted[i]);
  }
  return [...byDepth].sort(([a], [b]) => a - b).map(([, one]) => one);
}

/** The tokens that were examined, in the order of the walk: siblings by rank, then the children of the one that
 * stayed. @param {Drafted[]} drafted */
export function tested(drafted) {
  const below = children(drafted);
  /** @type {number[]} */
  const found = [];
  for (let at = -1; at < 0 || drafted[at].verdict === "accepted"; at = found[found.length - 1]) {
    const here = below[at + 1].filter((i) => drafted[i].verdict !== "unexamined");
    if (!here.length) break;
    found.push(...here);
  }
  return found;
}

/** How far each token reaches past the text, from 1. @param {Drafted[]} drafted */
export function depths(drafted) {
  /** @type {number[]} */
  const found = [];
  for (const parent of parents(drafted)) found.push(1 + (parent >= 0 ? found[parent] : 0));
  return found;
}

/** Tokens drafted in a round at most (specviz/config.py, `most`). @param {Config} config */
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

/** The first thing that makes the tree of a round none. @param {Round} round @param {number} most its depth
 * @returns {Generator<[field: string, problem: string], void, void>} */
export function* brokenTree({ drafted, emitted }, most) {
  for (const [i, { parent, depth, rank }] of drafted.entries()) {
    const [where, at] = [`drafted[${i}]`, parent ?? null];
    if (at === null || (depth ?? null) === null || (rank ?? null) === null)
      return yield [`${where}.parent`, "parent, depth and rank must be there: the run drafts trees"];
    if (at < -1 || at >= i) return yield [`${where}.parent`, `must be from -1, the text, to ${i - 1}`];
    const due = 1 + (at >= 0 ? (drafted[at].depth ?? 0) : 0);
    if (depth !== due || due > most) return yield [`${where}.depth`, `must be ${due}, and at most ${most}`];
    const siblings = drafted.slice(0, i).filter(({ parent }) => parent === at);
    if (rank !== siblings.length)
      return yield [`${where}.rank`, `must be ${siblings.length}: siblings have places of their own`];
    if (siblings.some(({ token }) => token.id === drafted[i].token.id))
      return yield [`${where}.token`, "must be another token than those of its siblings"];
    if (drafted[i].verdict === "accepted" && at >= 0 && drafted[at].verdict !== "accepted")
      return yield [`${where}.verdict`, "must not be accepted: the token before it was not"];
  }
  const kept = drafted.filter(({ verdict }) => verdict === "accepted");
  if (new Set(kept.map(({ depth }) => depth)).size !== kept.length)
    return yield ["drafted", "must keep one token of each depth at most"];
  const wrong = kept.findIndex(({ token }, i) => emitted[i]?.role !== "accepted" || emitted[i].token.id !== token.id);
  if (wrong >= 0 || emitted.length > kept.length + 1)
    yield ["emitted", "must be the tokens that were drafted and accepted, then at most one more"];
}
