// Draft with multi-token heads: sequential modules on the target's hidden state, as DeepSeek names them
// (specviz/engine/draft/mtp.py). In a block longer than there are modules the last one runs again on what it made
// itself.

import { matrix, norm, packLayers } from "../llama.js";
import { concatenate } from "../sequence.js";
import { ROWS } from "../stack.js";
import { ModelError } from "../weights.js";
import { BlockBuilder, NO_DRAFT } from "./base.js";
import { growTree } from "./branch.js";
import { Features } from "./heads.js";
import { forward } from "./steps.js";

/** @import { Llama } from "../llama.js" */
/** @import { Tensor } from "../memory.js" */
/** @import { Block, DraftSession, Drafter, Entry, Head, HeadFactory } from "../types.js" */
/** @import { Weights } from "../weights.js" */
/** @import { DraftContext } from "./base.js" */
/** @import { Stack } from "../stack.js" */

/** Its cache, and the hidden states that it takes, from position `base` on. */
class ModuleRun {
  base = 0;
  /** @type {Float32Array} */
  inputs = new Float32Array(0);

  /** @param {Module} module @param {Stack} stack */
  constructor(module, stack) {
    this.module = module;
    this.stack = stack;
    this.width = stack.width;
  }

  /** The hidden states of n positions that it has not taken yet. @param {number} n */
  pendingInputs(n) {
    const start = (this.stack.length - this.base) * this.width;
    return this.inputs.subarray(start, start + n * this.width);
  }

  /** @param {Float32Array} rows */
  addInputs(rows) {
    this.inputs = concatenate([this.inputs, rows]);
  }

  /** Forgets the positions from `length` on, and the hidden states but those from there to `end`.
   * @param {number} length @param {number} end */
  forgetFrom(length, end) {
    this.stack.rollback(length);
    this.inputs = this.inputs.slice((length - this.base) * this.width, (end - this.base) * this.width);
    this.base = length;
  }
}

/** @typedef {{ entry: Entry, head: Head, layers: Record<string, Tensor> }} Module */

/** @type {HeadFactory} */
export const openDrafter = (target, { weights, name }) => new MTP(target, weights, name);

/** @implements {Drafter} */
class MTP {
  kind = "mtp";

  /** @param {Llama} target @param {Weights} weights @param {string} name */
  constructor(target, weights, name) {
    const { compiled, info } = target;
    const { width } = target.dimensions;
    this.target = target;
    /** @type {Module[]} */
    this.modules = [];
    for (let at = `model.layers.${info.layers}.`; weights.has(`${at}eh_proj.weight`); ) {
      const of = (/** @type {string} */ key) => norm(compiled, weights, `${at}${key}.weight`, width);
      const entry = {
        tokenNorm: of("enorm"),
        featureNorm: of("hnorm"),
        join: matrix(compiled, weights, `${at}eh_proj.weight`, width, 2 * width),
      };
      const head = { ...target.head, norm: of("shared_head.norm") };
      this.modules.push({ entry, head, layers: packLayers(compiled, weights, [at], target.dimensions) });
      at = `model.layers.${info.layers + this.modules.length}.`;
    }
    if (!this.modules.length) throw new ModelError(`${name} has no multi-token heads for ${info.name}.`);
    weights.finish();
    const own = { layers: this.modules.length, parameters: weights.parameters };
    this.info = { ...info, name, family: "multi-token heads", ...own };
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new MTPSession(this, context);
  }
}

/** Run j is of module j, or of the last one. A position is true where the tokens that made it belong to the text.
 * @implements {DraftSession} */
class MTPSession {
  /** @param {MTP} mtp @param {DraftContext} context */
  constructor(mtp, context) {
    const { target, modules } = mtp;
    this.context = context;
    this.target = target;
    this.features = new Features(context.target, [target.info.layers]);
    this.runs = Array.from({ length: Math.max(1, context.longestBlock) }, (_, j) => {
      const module = modules[Math.min(j, modules.length - 1)];
      return new ModuleRun(module, target.stack(module.layers, context.capacity));
    });
    this.forwards = 0;
  }

  get length() {
    return this.runs[0].stack.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (!tokens.length) return;
    this._appendFeatures(tokens.length + 1);
    this.runs.slice(0, tokens.length - 1).forEach((run, j) => {
      const end = tokens.length - 1 - j;
      const feed = tokens.slice(run.stack.length + j + 1, end + j + 1);
      this._passFeaturesOn(j, forward(run.stack, run.module.entry, feed, run.pendingInputs(feed.length)));
    });
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    if (tokens.length < 2 || !k) return NO_DRAFT;
    const { context } = this;
    const builder = new BlockBuilder(context, k, u);
    for (let j = 0; j < k && builder.isOpen; j++) {
      const { stack, module } = this.runs[j];
      const feed = [...tokens, ...builder.ids].slice(stack.length + j + 1);
      const features = this.runs[j].pendingInputs(feed.length);
      const draws = feed.length <= ROWS && context.compiledDraws(1, u && [u[j]]);
      if (draws) {
        stack.run({ feed, features, entry: module.entry, head: module.head, keep: 1, draws });
        this._passFeaturesOn(j, stack.lastHidden);
        builder.add(stack.draftIds(1)[0], u && stack.q.row(0));
      } else {
        this._passFeaturesOn(j, forward(stack, module.entry, feed, features, module.head));
        builder.draw(stack.logits(module.head, 1));
      }
    }
    this.forwards += builder.ids.length;
    return builder.block();
  }

  /** The product of the heads' top guesses: each runs once, after the first guess of the head before it, and what it
   * gives stands under every token of its level (Medusa, Cai et al. 2024 §2.1.2).
   * @param {number[]} tokens @param {number} depth @param {number[] | null} u @returns {Block} */
  branch(tokens, depth, u) {
    if (tokens.length < 2 || !depth) return NO_DRAFT;
    const main = [...tokens]; // the text and the first guess of each head so far
    const end = tokens.length - 1;
    let at = 0;
    const next = () => {
      const run = this.runs[at];
      const { entry, head } = run.module;
      const feed = main.slice(run.stack.length + at + 1, end + at + 1);
      this._passFeaturesOn(at, forward(run.stack, entry, feed, run.pendingInputs(feed.length), head));
      this.forwards += 1;
      at += 1;
      const row = Float32Array.from(run.stack.logits(head, 1).row(0));
      return { row: () => row };
    };
    return growTree(this.context, depth, u, next(), (ids) => {
      main.push(ids[0]);
      return next();
    });
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    const before = this.features.length;
    let end = tokens.length - 1;
    this._appendFeatures(tokens.length);
    this.runs.forEach((run, j) => {
      const settled = Math.min(run.stack.length, Math.max(0, before - 1 - j));
      run.forgetFrom(settled, end);
      end = settled;
    });
  }

  /** The target's normed hidden states of the positions that a text of `length` tokens has gained.
   * @param {number} length */
  _appendFeatures(length) {
    const [rows] = this.features.newRows(length);
    this.runs[0].addInputs(this.target.normedRows(rows));
  }

  /** What came out of run j goes into the run after it. @param {number} j @param {Float32Array} out */
  _passFeaturesOn(j, out) {
    if (j + 1 < this.runs.length) this.runs[j + 1].addInputs(out);
  }
}
