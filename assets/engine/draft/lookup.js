// Draft by copying what followed the same last tokens before (specviz/engine/draft/ngram.py). q is one-hot.

import { Stateless, table } from "./base.js";

/** @import { Block, Open } from "../types.js" */

const MOST = 1000; // earlier places that a tree is made of
const LONGEST = 4; // tokens compared; the longest match wins, and of equals the latest

/** @type {Open} */
export const open = ({ vocabulary }) => ({
  kind: "lookup",
  info: table("lookup", "n-gram", vocabulary),
  begin: (context) => new NGramSession(context),
});

class NGramSession extends Stateless {
  indexed = 0;
  /** @type {Map<string, number[]>} where each n-gram was followed by something */
  seen = new Map();

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    for (const at of this._found(tokens)) return this._block(copied(tokens, at, k), u);
    return { ids: [], q: null, tensor: null, fewer: "lookup" };
  }

  /** Every continuation of the longest matches, the latest first, as far as the tree has room for it.
   * @param {number[]} tokens @param {number} depth @param {number[] | null} u @returns {Block} */
  branch(tokens, depth, u) {
    const { ids, parents } = shared(tokens, this._found(tokens), this.context.growth, depth);
    if (!ids.length) return { ids: [], q: null, tensor: null, fewer: "lookup" };
    return { ...this._block(ids, u), parents, fewer: "lookup" };
  }

  /** Where the last tokens stood before, the longest match first, of equals the latest. @param {number[]} tokens
   * @returns {Generator<number, void, void>} */
  *_found(tokens) {
    for (let end = this.indexed + 1; end < tokens.length; end++)
      for (let n = 1; n <= Math.min(LONGEST, end); n++) {
        const key = tokens.slice(end - n, end).join();
        const places = this.seen.get(key);
        if (places) places.push(end);
        else this.seen.set(key, [end]);
      }
    this.indexed = tokens.length - 1;
    for (let n = Math.min(LONGEST, tokens.length); n > 0; n--) {
      const places = this.seen.get(tokens.slice(-n).join()) ?? [];
      for (let i = places.length - 1; i >= 0; i--) yield places[i];
    }
  }

  /** @param {number[]} ids @param {number[] | null} u @returns {Block} */
  _block(ids, u) {
    if (!u) return { ids, q: null, tensor: null, fewer: null };
    const { growth, vocabulary } = this.context;
    const tensor = growth ? null : this.context.q.first(ids.length);
    const q = ids.map((id, i) => {
      const row = tensor ? tensor.row(i).fill(0) : new Float32Array(vocabulary);
      row[id] = 1;
      return row;
    });
    return { ids, q, tensor, fewer: null };
  }
}

/** k tokens from position `at` on; where the text ends, what was copied is itself followed.
 * @param {number[]} tokens @param {number} at @param {number} k */
function copied(tokens, at, k) {
  /** @type {number[]} */
  const ids = [];
  for (let i = at; i < at + k; i++) ids.push(i < tokens.length ? tokens[i] : ids[i - tokens.length]);
  return ids;
}

/** Continuations that share their beginnings, level by level. @param {number[]} tokens @param {Iterable<number>} places
 * @param {import("../tree.js").TreePlan | null} growth @param {number} depth */
function shared(tokens, places, growth, depth) {
  /** @type {Map<string, number[]>} after the tokens of a path its children, in their order */
  const found = new Map();
  const { nodes = 0, widths = [] } = growth ?? {};
  const room = growth?.nodesTo(depth) ?? 0;
  let taken = 0;
  let tried = 0;
  for (const at of places) {
    if (tried++ === MOST) break;
    const text = copied(tokens, at, depth);
    for (const [d, id] of text.entries()) {
      const key = text.slice(0, d).join();
      const here = found.get(key) ?? [];
      found.set(key, here);
      if (here.includes(id)) continue;
      if (nodes ? taken === room : here.length === widths[d]) break;
      here.push(id);
      taken += 1;
    }
  }
  /** @type {number[]} */
  const ids = [];
  /** @type {number[]} */
  const parents = [];
  let level = [{ path: /** @type {number[]} */ ([]), at: -1 }];
  for (let d = 0; d < depth; d++) {
    const below = [];
    for (const { path, at } of level)
      for (const id of found.get(path.join()) ?? []) {
        below.push({ path: [...path, id], at: ids.length });
        parents.push(at);
        ids.push(id);
      }
    level = below;
  }
  return { ids, parents };
}
