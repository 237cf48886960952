// A block that branches: which tokens follow which, chosen by the drafter's own softmax or drawn from it without
// replacement (specviz/engine/draft/branch.py).

import { draw, largestIds, softmax } from "../sampling.js";

/** @import { Block, Rows } from "../types.js" */
/** @import { DraftContext } from "./base.js" */
/** @typedef {(ids: number[], parents: number[]) => Rows} Level logits [n, V] after tokens that are fed; a parent is the
 * number of a token that was fed before, or −1, the text */

/** A tree of `depth` levels: `first` [1, V] are the logits after the text. Node i is drawn with u[i]; u is null when
 * greedy. @param {DraftContext} context @param {number} depth @param {number[] | null} u @param {Rows} first
 * @param {Level} level @returns {Block} */
export function growTree(context, depth, u, first, level) {
  const plan = /** @type {import("../tree.js").TreePlan} */ (context.treePlan);
  if (plan.nodes) return dynamicTree(context, depth, !u, first, level);
  return staticTree(context, plan.widths.slice(0, depth), u, first, level);
}

/** @param {DraftContext} context @param {number[]} widths @param {number[] | null} u @param {Rows} first
 * @param {Level} level @returns {Block} */
function staticTree(context, widths, u, first, level) {
  /** @type {number[]} */
  const ids = [];
  /** @type {number[]} */
  const parents = [];
  /** @type {Float32Array[]} */
  const rows = [];
  let above = [-1]; // all of the level before are fed, so their numbers there are the same
  let logits = first;
  for (const [depth, width] of widths.entries()) {
    const here = [];
    for (const [i, parent] of above.entries()) {
      const [childIds, q] = children(context, rowOf(context, logits, i), width, u?.slice(ids.length) ?? null);
      for (const [rank, id] of childIds.entries()) {
        here.push(ids.length);
        ids.push(id);
        parents.push(parent);
        if (u) rows.push(q[rank]);
      }
    }
    if (depth + 1 === widths.length || !here.length) break;
    logits = level(
      here.map((i) => ids[i]),
      here.map((i) => parents[i]),
    );
    above = here;
  }
  return { ids, q: u && rows, tensor: null, shortBlockReason: null, parents };
}

/** The logits of one row over the target's vocabulary, a copy. @param {DraftContext} context @param {Rows} logits
 * @param {number} i */
function rowOf({ vocabulary }, logits, i) {
  const row = new Float32Array(vocabulary).fill(-Infinity);
  row.set(logits.row(i).subarray(0, vocabulary));
  return row;
}

/** Up to `width` children of one place, and what each was drawn from; of chosen ones the softmax that they are the
 * largest of. @param {DraftContext} context @param {Float32Array} logits @param {number} width
 * @param {number[] | null} u @returns {[number[], Float32Array[]]} */
function children(context, logits, width, u) {
  if (!u) return [largestIds(logits, width), []];
  let q = distributionOf(context, logits);
  const possible = Math.min(
    width,
    q.reduce((n, value) => n + Number(value > 0), 0),
  );
  if (context.argmax) return [largestIds(q, possible), Array(possible).fill(q)];
  const ids = [];
  const rows = [];
  for (let rank = 0; rank < possible; rank++) {
    const id = draw(q, u[rank]);
    ids.push(id);
    rows.push(q);
    const without = Float32Array.from(q);
    without[id] = 0;
    const mass = without.reduce((sum, value) => sum + value, 0);
    q = without.map((value) => value / mass);
  }
  return [ids, rows];
}

/** The draft's distribution of one row. @param {DraftContext} context @param {Float32Array} logits */
function distributionOf(context, logits) {
  context.logits.row(0).set(logits);
  context.sampler.fillRows(context.logits, context.treeRow);
  return Float32Array.from(context.treeRow.row(0));
}

/**
 * Every level that is fed offers the likeliest children of each of its tokens; the likeliest of those are fed next, and
 * the `nodes` likeliest of all stay.
 * @param {DraftContext} context @param {number} depth @param {boolean} greedy
 * @param {Rows} first @param {Level} level @returns {Block} */
function dynamicTree(context, depth, greedy, first, level) {
  const { breadth, nodes } = /** @type {import("../tree.js").TreePlan} */ (context.treePlan);
  /** @type {{ id: number, parent: number, chance: number, row: Float32Array }[]} */
  const all = [];
  let fed = [{ node: -1, number: -1 }]; // of the latest level: the node, and its number among what was fed
  let count = 0;
  let logits = first;
  for (let d = 0; d < depth; d++) {
    const start = all.length;
    for (const [i, { node }] of fed.entries()) {
      const own = rowOf(context, logits, i);
      const row = greedy ? softmax(own) : distributionOf(context, own);
      const before = node < 0 ? 1 : all[node].chance;
      for (const id of largestIds(row, breadth))
        if (row[id] > 0) all.push({ id, parent: node, chance: before * row[id], row });
    }
    const following = likeliestNodes(all, start, breadth);
    if (d + 1 === depth || !following.length) break;
    const numbers = new Map(fed.map(({ node, number }) => [node, number]));
    logits = level(
      following.map((i) => all[i].id),
      following.map((i) => numbers.get(all[i].parent) ?? -1),
    );
    fed = following.map((node, i) => ({ node, number: count + i }));
    count += following.length;
  }
  const selection = likeliestNodes(all, 0, nodes).sort((a, b) => a - b);
  const place = new Map(selection.map((node, i) => [node, i]));
  return {
    ids: selection.map((i) => all[i].id),
    q: greedy ? null : selection.map((i) => all[i].row),
    tensor: null,
    shortBlockReason: null,
    parents: selection.map((i) => place.get(all[i].parent) ?? -1),
  };
}

/** The numbers of the n likeliest from `start` on; of equals the earlier, a parent before its child.
 * @param {{ chance: number }[]} all @param {number} start @param {number} n */
function likeliestNodes(all, start, n) {
  const numbers = Array.from({ length: all.length - start }, (_, i) => start + i);
  return numbers.sort((a, b) => all[b].chance - all[a].chance || a - b).slice(0, n);
}
