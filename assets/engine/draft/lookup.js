// Draft by copying what followed the same last tokens before (specviz/engine/draft/ngram.py). q is one-hot.

import { Stateless, tableInfo } from "./base.js";

/** @import { Block, DrafterFactory } from "../types.js" */

const MAX_MATCHES = 1000; // earlier positions that a tree is made of
const MAX_NGRAM = 4; // tokens compared; the longest match wins, and of equals the latest

/** @type {DrafterFactory} */
export const openDrafter = ({ vocabulary }) => ({
  kind: "lookup",
  info: tableInfo("lookup", "n-gram", vocabulary),
  begin: (context) => new NGramSession(context),
});

class NGramSession extends Stateless {
  indexed = 0;
  /** @type {Map<string, number[]>} where each n-gram was followed by something */
  positions = new Map();

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    for (const at of this._matches(tokens)) return this._block(continuationAt(tokens, at, k), u);
    return { ids: [], q: null, tensor: null, shortBlockReason: "lookup" };
  }

  /** Every continuation of the longest matches, the latest first, as far as the tree has room for it.
   * @param {number[]} tokens @param {number} depth @param {number[] | null} u @returns {Block} */
  branch(tokens, depth, u) {
    const { ids, parents } = mergeContinuations(tokens, this._matches(tokens), this.context.treePlan, depth);
    if (!ids.length) return { ids: [], q: null, tensor: null, shortBlockReason: "lookup" };
    return { ...this._block(ids, u), parents, shortBlockReason: "lookup" };
  }

  /** Where the last tokens stood before, the longest match first, of equals the latest. @param {number[]} tokens
   * @returns {Generator<number, void, void>} */
  *_matches(tokens) {
    for (let end = this.indexed + 1; end < tokens.length; end++)
      for (let n = 1; n <= Math.min(MAX_NGRAM, end); n++) {
        const key = tokens.slice(end - n, end).join();
        const matches = this.positions.get(key);
        if (matches) matches.push(end);
        else this.positions.set(key, [end]);
      }
    this.indexed = tokens.length - 1;
    for (let n = Math.min(MAX_NGRAM, tokens.length); n > 0; n--) {
      const matches = this.positions.get(tokens.slice(-n).join()) ?? [];
      for (let i = matches.length - 1; i >= 0; i--) yield matches[i];
    }
  }

  /** @param {number[]} ids @param {number[] | null} u @returns {Block} */
  _block(ids, u) {
    if (!u) return { ids, q: null, tensor: null, shortBlockReason: null };
    const { treePlan, vocabulary } = this.context;
    const tensor = treePlan ? null : this.context.q.first(ids.length);
    const q = ids.map((id, i) => {
      const row = tensor ? tensor.row(i).fill(0) : new Float32Array(vocabulary);
      row[id] = 1;
      return row;
    });
    return { ids, q, tensor, shortBlockReason: null };
  }
}

/** k tokens from position `at` on; where the text ends, what was copied is itself followed.
 * @param {number[]} tokens @param {number} at @param {number} k */
function continuationAt(tokens, at, k) {
  /** @type {number[]} */
  const ids = [];
  for (let i = at; i < at + k; i++) ids.push(i < tokens.length ? tokens[i] : ids[i - tokens.length]);
  return ids;
}

/** Continuations that share their beginnings, level by level.
 * @param {number[]} tokens @param {Iterable<number>} matches
 * @param {import("../tree.js").TreePlan | null} treePlan @param {number} depth */
function mergeContinuations(tokens, matches, treePlan, depth) {
  /** @type {Map<string, number[]>} after the tokens of a path its children, in their order */
  const childrenOf = new Map();
  const { nodes = 0, widths = [] } = treePlan ?? {};
  const limit = treePlan?.nodesTo(depth) ?? 0;
  let nodeCount = 0;
  let matchCount = 0;
  for (const at of matches) {
    if (matchCount++ === MAX_MATCHES) break;
    const text = continuationAt(tokens, at, depth);
    for (const [d, id] of text.entries()) {
      const key = text.slice(0, d).join();
      const children = childrenOf.get(key) ?? [];
      childrenOf.set(key, children);
      if (children.includes(id)) continue;
      if (nodes ? nodeCount === limit : children.length === widths[d]) break;
      children.push(id);
      nodeCount += 1;
    }
  }
  /** @type {number[]} */
  const ids = [];
  /** @type {number[]} */
  const parents = [];
  let level = [{ path: /** @type {number[]} */ ([]), parent: -1 }];
  for (let d = 0; d < depth; d++) {
    const below = [];
    for (const { path, parent } of level)
      for (const id of childrenOf.get(path.join()) ?? []) {
        below.push({ path: [...path, id], parent: ids.length });
        parents.push(parent);
        ids.push(id);
      }
    level = below;
  }
  return { ids, parents };
}
