// Draft with an EAGLE-3 head: one layer over the target's features and the embedding of the token that follows
// (specviz/engine/draft/eagle.py).

import { dimensions, matrix, norm, packLayers, rotation } from "../llama.js";
import { pack, panels, unpack } from "../packing.js";
import { concatenate } from "../sequence.js";
import { ModelError, numbers } from "../weights.js";
import { NO_DRAFT } from "./base.js";
import { Features } from "./heads.js";
import { draftHead, forward } from "./steps.js";

/** @import { Llama } from "../llama.js" */
/** @import { Block, DraftSession, Drafter, Entry, Head } from "../types.js" */
/** @import { Weights } from "../weights.js" */
/** @import { DraftContext } from "./base.js" */

/** The output head of a vocabulary of its own, where there is one: row r is token r + d2t[r]. Without rows in the
 * checkpoint they are the target's of these tokens. @param {Llama} target @param {Weights} weights
 * @returns {Partial<Head>} */
function ownHead({ compiled, vocabulary, head, dimensions: { width } }, weights) {
  const stored = ["lm_head.weight", "d2t"].map((key) => weights.tensors.get(key)?.shape[0]);
  const rows = stored[0] ?? stored[1];
  if (rows === undefined) return {};
  const shifts = weights.has("d2t") ? numbers(weights.take("d2t", rows)) : new Float32Array(rows);
  const ids = shifts.map((shift, r) => r + shift);
  if (!rows || !ids.every((id, r) => id >= 0 && id < vocabulary && (!r || id > ids[r - 1])))
    throw new ModelError(
      `${weights.name}: d2t does not map its ${rows} tokens, in order, into the target's ${vocabulary}.`,
    );
  const columns = compiled.memory.allocate("int64", rows);
  columns.data.set(Array.from(ids, BigInt));
  const own = weights.has("lm_head.weight")
    ? matrix(compiled, weights, "lm_head.weight", rows, width)
    : pack(unpack(head.matrix, ids), panels(compiled.memory, rows, width));
  return { matrix: own, rows, columns };
}

/** @implements {Drafter} */
export class Eagle {
  kind = "eagle";

  /** @param {Llama} target @param {Weights} weights @param {string} name @param {any} config of the head */
  constructor(target, weights, name, config) {
    const { compiled, info } = target;
    const { width } = target.dimensions;
    this.target = target;
    this.taps = [2, Math.floor(info.layers / 2), info.layers - 3];
    this.shape = dimensions(config, name);
    if (this.shape.width !== width) throw new ModelError(`${name} is the head of another model than ${info.name}.`);
    this.rope = rotation(compiled, config, this.shape);
    this.fc = matrix(compiled, weights, "fc.weight", width, 3 * width);
    /** @type {Entry} */
    this.entry = { tokenNorm: norm(compiled, weights, "midlayer.input_layernorm.weight", width) };
    this.layers = packLayers(compiled, weights, ["midlayer."], this.shape, "hidden_norm", 2 * width);
    /** @type {Head} */
    this.head = { ...target.head, norm: norm(compiled, weights, "norm.weight", width), ...ownHead(target, weights) };
    for (const key of ["t2d", "d2t", "embed_tokens.weight"]) weights.tensors.delete(key);
    weights.finish();
    this.multiply = compiled.prepare("multiply").set({ w: this.fc });
    this.info = { ...info, name, family: "EAGLE head", layers: 1, parameters: weights.parameters };
  }

  /** @param {DraftContext} context @returns {EagleSession} */
  begin(context) {
    return new EagleSession(this, context);
  }

  /** fc·[low, middle, high] of each position. @param {Float32Array[]} parts @returns {Float32Array} */
  fuse(parts) {
    const { width } = this.shape;
    const n = parts[0].length / width;
    const { memory } = this.target.compiled;
    const mark = memory.mark();
    const x = memory.allocate("float32", n, 3 * width);
    const y = memory.allocate("float32", n, this.fc.shape[0] * 32);
    for (let i = 0; i < n; i++)
      for (const [j, part] of parts.entries()) x.row(i).set(part.subarray(i * width, (i + 1) * width), j * width);
    this.multiply.set({ x, y }).run();
    const out = new Float32Array(n * width);
    for (let i = 0; i < n; i++) out.set(y.row(i).subarray(0, width), i * width);
    memory.release(mark);
    return out;
  }
}

/** The cache holds true positions, then within a block those made of the head's own; the latter are rolled back.
 * @implements {DraftSession} */
class EagleSession {
  /** @param {Eagle} eagle @param {DraftContext} context */
  constructor(eagle, context) {
    const { target } = eagle;
    this.eagle = eagle;
    this.context = context;
    this.width = eagle.shape.width;
    this.features = new Features(context.target, eagle.taps);
    this.stack = target.stack(eagle.layers, context.capacity, eagle.shape, eagle.rope);
    /** @type {Float32Array} */
    this.fusedFeatures = new Float32Array(0);
    this.forwards = 0;
  }

  get length() {
    return this.stack.length;
  }

  /** @param {number[]} tokens */
  prefill(tokens) {
    if (!tokens.length) return;
    this._appendFeatures(tokens.length + 1);
    if (tokens.length < 2) return;
    forward(this.stack, this.eagle.entry, tokens.slice(1), this.fusedFeatures);
    this.fusedFeatures = this.fusedFeatures.slice(-this.width);
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    if (tokens.length < 2) return NO_DRAFT;
    const { entry, head } = this.eagle;
    const feed = tokens.slice(this.stack.length + 1);
    const block = draftHead(this.context, this.stack, entry, head, feed, k, u, this.fusedFeatures);
    this.forwards += block.ids.length;
    return block;
  }

  /** @param {number[]} tokens */
  observe(tokens) {
    const settled = Math.min(this.stack.length, Math.max(0, this.features.length - 1));
    this.fusedFeatures = this.fusedFeatures.slice(
      this.fusedFeatures.length - (this.features.length - 1 - settled) * this.width,
    );
    this.stack.rollback(settled);
    this._appendFeatures(tokens.length);
  }

  /** The fused features of the positions that a text of `length` tokens has gained. @param {number} length */
  _appendFeatures(length) {
    const rows = this.features.newRows(length);
    this.fusedFeatures = concatenate([this.fusedFeatures, this.eagle.fuse(rows)]);
  }
}
