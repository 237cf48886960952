// One text under a model: append ids, get logits, roll back.

import { ROWS } from "./stack.js";

/** @import { Llama } from "./llama.js" */

/** One text's cache. `taps`: layers whose input is kept for whoever drafts from features; `tapInputs`: theirs of the
 * latest append. */
export class Sequence {
  /** @param {Llama} model @param {number} capacity */
  constructor(model, capacity) {
    this.model = model;
    this.stack = model.stack(model.layers, capacity, model.dimensions, model.rope, 3);
    /** @type {number[]} */
    this.taps = [];
    /** @type {Float32Array[]} */
    this.tapInputs = [];
  }

  get length() {
    return this.stack.length;
  }

  /** @param {number} length */
  rollback(length) {
    this.stack.rollback(length);
  }

  /** The logits [keep, V] after the last `keep` ids; they are there until the next pass.
   * @param {number[]} ids */
  append(ids, keep = 1, until = this.stack.layers) {
    const { stack, taps } = this;
    const { head } = this.model;
    const layers = until === stack.layers ? taps : [];
    const parts = layers.map(() => /** @type {Float32Array[]} */ ([]));
    for (let i = 0; i < ids.length; i += ROWS) {
      const feed = ids.slice(i, i + ROWS);
      const last = i + ROWS >= ids.length;
      stack.run({ feed, head, keep: last ? keep : 0, until, taps: layers });
      const inputs = stack.tapInputs(layers, feed.length);
      for (let j = 0; j < layers.length; j++) parts[j].push(inputs[j]);
    }
    if (layers.length || until === stack.layers) this.tapInputs = parts.map(concatenate);
    return stack.logits(head, keep);
  }
}

/** @param {Float32Array[]} parts */
export function concatenate(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
