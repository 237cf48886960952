// Draft by copying what followed the same last tokens before (specviz/engine/draft/tables.py). q is one-hot.

import { rowsOf } from "../verify.js";
import { Stateless, tableInfo } from "./base.js";

/** @import { Block, DrafterFactory } from "../types.js" */

const MAX_NGRAM = 4; // tokens compared; the longest match wins, and of equals the latest

/** @type {DrafterFactory} */
export const openDrafter = ({ vocabulary }) => ({
  kind: "lookup",
  info: tableInfo("lookup", "n-gram", vocabulary),
  begin: (context) => new NGramSession(context),
});

class NGramSession extends Stateless {
  indexed = 0;
  /** @type {Map<string, number>} where each n-gram was followed by something, the latest */
  positions = new Map();

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const at = this._latestMatch(tokens);
    if (at === undefined) return { ids: [], q: null, tensor: null, shortBlockReason: "lookup" };
    return this._block(continuationAt(tokens, at, k), u);
  }

  /** Where the last tokens stood before: the longest match, of equals the latest. @param {number[]} tokens */
  _latestMatch(tokens) {
    for (let end = this.indexed + 1; end < tokens.length; end++)
      for (let n = 1; n <= Math.min(MAX_NGRAM, end); n++) {
        this.positions.set(tokens.slice(end - n, end).join(), end);
      }
    this.indexed = tokens.length - 1;
    for (let n = Math.min(MAX_NGRAM, tokens.length); n > 0; n--) {
      const at = this.positions.get(tokens.slice(-n).join());
      if (at !== undefined) return at;
    }
    return undefined;
  }

  /** @param {number[]} ids @param {number[] | null} u @returns {Block} */
  _block(ids, u) {
    if (!u) return { ids, q: null, tensor: null, shortBlockReason: null };
    const tensor = this.context.q.first(ids.length);
    const q = rowsOf(tensor);
    for (const [i, id] of ids.entries()) q[i].fill(0)[id] = 1;
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
