// Draft by copying what followed the same last tokens before (specviz/engine/draft/ngram.py). q is one-hot.

import { Stateless, table } from "./base.js";

/** @import { Block, Drafter } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

const LONGEST = 4; // tokens compared; the longest match wins, and of equals the latest

/** @implements {Drafter} */
export class NGram {
  kind = "lookup";

  /** @param {number} vocabulary */
  constructor(vocabulary) {
    this.info = table("lookup", "n-gram", vocabulary);
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new NGramSession(context);
  }
}

class NGramSession extends Stateless {
  indexed = 0;
  /** @type {Map<string, number>} where each n-gram was last followed by something */
  last = new Map();

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    for (let end = this.indexed + 1; end < tokens.length; end++)
      for (let n = 1; n <= Math.min(LONGEST, end); n++) this.last.set(tokens.slice(end - n, end).join(), end);
    this.indexed = tokens.length - 1;
    for (let n = Math.min(LONGEST, tokens.length); n > 0; n--) {
      const at = this.last.get(tokens.slice(-n).join());
      if (at !== undefined) return this._block(copied(tokens, at, k), u);
    }
    return { ids: [], q: null, tensor: null, fewer: "lookup" };
  }

  /** @param {number[]} ids @param {number[] | null} u @returns {Block} */
  _block(ids, u) {
    if (!u) return { ids, q: null, tensor: null, fewer: null };
    const tensor = this.context.q.first(ids.length);
    const q = ids.map((id, i) => {
      const row = tensor.row(i).fill(0);
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
