// Draft with an independent model; the oracle is the target itself (specviz/engine/draft/small.py).

import { CachedTree } from "../tree.js";
import { grow } from "./branch.js";
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
    this.known = model.vocabulary;
    this.room = Math.min(context.capacity, model.context);
    this.sequence = model.sequence(this.room);
    this.forwards = 0;
    this.before = 0; // the length of the text that a tree followed
    this.fed = new CachedTree(); // what of that is in the cache
  }

  get length() {
    return this.sequence.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (tokens.length && tokens.length <= this.room) this.sequence.append(this._known(tokens), 1);
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const most = Math.min(k, this.room - tokens.length + 1); // past its own context a draft model has nothing to say
    if (most < 1) return { ids: [], q: null, tensor: null, fewer: "context" };
    const feed = this._known(tokens.slice(this.sequence.length));
    const block = draft(this.context, this.sequence, feed, most, u?.slice(0, most) ?? null);
    this.forwards += block.ids.length;
    return block.fewer || most === k ? block : { ...block, fewer: "context" };
  }

  /** @param {number[]} tokens @param {number} asked depth @param {number[] | null} u @returns {Block} */
  branch(tokens, asked, u) {
    const { growth } = this.context;
    const left = this.room - tokens.length;
    const depth = growth?.fitting(Math.min(asked, left + 1), left) ?? 0;
    if (depth < 1) return { ids: [], q: null, tensor: null, fewer: "context" };
    this.before = tokens.length;
    this.fed = new CachedTree();
    const first = this.sequence.append(this._known(tokens.slice(this.sequence.length)), 1);
    this.forwards += 1;
    const block = grow(this.context, depth, u, first, (ids, parents) => {
      this.forwards += 1;
      this.fed.add(ids, parents);
      return this.sequence.append(this._known(ids), ids.length, undefined, parents);
    });
    return depth === asked ? block : { ...block, fewer: "context" };
  }

  /** An id that only the target has is fed as another: the draft guesses worse, and q is still q.
   * @param {number[]} ids */
  _known(ids) {
    return ids.map((id) => (id < this.known ? id : 0));
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    if (this.fed.ids.length) {
      this.sequence.keep(this.fed.path(tokens.slice(this.before)));
      this.fed = new CachedTree();
    }
    this.sequence.rollback(Math.min(this.sequence.length, tokens.length - 1));
  }
}
