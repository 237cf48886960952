// What the loop asks of a way to draft (specviz/engine/draft/base.py), and a block while it is drafted token by token.

import { argmax, draw, Sampler, softmax } from "../sampling.js";
import { rowsOf } from "../verify.js";

/** @import { Sequence } from "../sequence.js" */
/** @import { Tensor } from "../memory.js" */
/** @import { Block, Config, ShortBlockReason, ModelInfo } from "../types.js" */

/** What heads say to a text of one token: there is no feature yet. @type {Block} */
export const NO_DRAFT = { ids: [], q: null, tensor: null, shortBlockReason: "start" };

/** What a run gives its drafter. */
export class DraftContext {
  /** @param {Config} config @param {number} vocabulary @param {number} capacity positions that the text stays below
   * @param {Sequence} target the run's sequence */
  constructor(config, vocabulary, capacity, target) {
    const { compiled } = target.model;
    this.vocabulary = vocabulary;
    this.capacity = capacity;
    this.target = target;
    this.sampler = new Sampler(compiled, config);
    this.argmax = config.drafting === "argmax";
    this.confidence = config.confidence;
    this.endsEarly = config.confidence > 0;
    this.q = compiled.memory.allocate("float32", Math.max(1, config.K), vocabulary);
    this.logits = compiled.memory.allocate("float32", 1, vocabulary);
  }

  /** What draws k tokens in one compiled call; null where a block may end early or tokens are filtered.
   * @param {number} k @param {number[] | null} u */
  compiledDraws(k, u) {
    if (this.endsEarly || !this.sampler.isUnfiltered) return null;
    const { temperature } = this.sampler;
    return { k, u, temperature: temperature || 1, argmax: this.argmax, vocabulary: this.vocabulary };
  }
}

/** Whether a block ends early is decided by tokens that are already in it, the improbable one too: it stays. */
export class BlockBuilder {
  /** @param {DraftContext} context @param {number} k @param {number[] | null} u */
  constructor(context, k, u) {
    this.context = context;
    this.k = k;
    this.u = u;
    /** @type {number[]} */
    this.ids = [];
    /** @type {ShortBlockReason} */
    this.shortBlockReason = null;
  }

  get isOpen() {
    return this.ids.length < this.k && !this.shortBlockReason;
  }

  /** Adds a token by logits [1, V]; gives its id. @param {Tensor} logits */
  draw(logits) {
    const { context, u } = this;
    const i = this.ids.length;
    const row = logits.row(0).subarray(0, context.vocabulary);
    if (u) context.sampler.fillRows(logits, context.q.rows(i, 1));
    const id = !u || context.argmax ? argmax(row) : draw(context.q.row(i), u[i]);
    this.ids.push(id);
    if (context.endsEarly && softmax(row)[id] < context.confidence) this.shortBlockReason = "confidence";
    return id;
  }

  /** @returns {Block} */
  block() {
    const n = this.ids.length;
    const tensor = this.u && n ? this.context.q.first(n) : null;
    return {
      ids: this.ids,
      q: tensor && rowsOf(tensor),
      tensor,
      shortBlockReason: n < this.k ? this.shortBlockReason : null,
    };
  }
}

/** A session without a cache or passes of its own. */
export class Stateless {
  /** @param {DraftContext} context */
  constructor(context) {
    this.context = context;
    this.length = /** @type {number | null} */ (null);
    this.forwards = 0;
  }

  /** @param {number[]} _tokens */
  prefill(_tokens) {}

  /** @param {number[]} _tokens @param {number} _k @param {number[] | null} _u @returns {Block} */
  propose(_tokens, _k, _u) {
    return NO_DRAFT;
  }

  /** @param {number[]} _tokens */
  observe(_tokens) {}
}

/** What a screen says of a drafter that is no neural model. @param {string} name @param {string} family
 * @param {number} vocabulary @returns {ModelInfo} */
export function tableInfo(name, family, vocabulary) {
  const size = { layers: 0, width: 0, vocabulary, parameters: 0 };
  return { name, family, ...size, dtype: "none", forward: "none", why: "", context: null, weights: [] };
}
