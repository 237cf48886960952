// Draft with an independent model; the oracle is the target itself (specviz/engine/draft/model.py).

import { draft } from "./steps.js";

/** @import { Llama } from "../llama.js" */
/** @import { Block, DraftSession, Drafter } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

/** @implements {Drafter} */
export class SmallModel {
  /** @param {Llama} model @param {string} kind */
  constructor(model, kind = "model") {
    this.model = model;
    this.kind = kind;
    this.info = model.info;
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new SmallModelSession(this.model, context);
  }
}

/** Its cache lags behind the text by one token, or by two after all of a block was accepted: `propose` feeds what is
 * missing.
 * @implements {DraftSession} */
class SmallModelSession {
  /** @param {Llama} model @param {DraftContext} context */
  constructor(model, context) {
    this.context = context;
    this.vocabulary = model.vocabulary;
    this.positions = Math.min(context.capacity, model.context);
    this.sequence = model.sequence(this.positions);
    this.forwards = 0;
  }

  get length() {
    return this.sequence.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (tokens.length && tokens.length <= this.positions) this.sequence.append(this._knownIds(tokens), 1);
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    // past its own context a draft model has nothing to say
    const maxK = Math.min(k, this.positions - tokens.length + 1);
    if (maxK < 1) return { ids: [], q: null, tensor: null, shortBlockReason: "context" };
    const feed = this._knownIds(tokens.slice(this.sequence.length));
    const block = draft(this.context, this.sequence, feed, maxK, u?.slice(0, maxK) ?? null);
    this.forwards += block.ids.length;
    return block.shortBlockReason || maxK === k ? block : { ...block, shortBlockReason: "context" };
  }

  /** An id that only the target has is fed as another: the draft guesses worse, and q is still q.
   * @param {number[]} ids */
  _knownIds(ids) {
    return ids.map((id) => (id < this.vocabulary ? id : 0));
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    this.sequence.rollback(Math.min(this.sequence.length, tokens.length - 1));
  }
}
