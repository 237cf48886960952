// One module's run, of multi-token heads (specviz/engine/draft/mtp.py, Lane).

import { concatenate } from "../sequence.js";

/** @import { Stack } from "../stack.js" */
/** @import { Module } from "./mtp.js" */

/** Its cache, and the hidden states that it takes, from position `base` on. */
export class ModuleRun {
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
  waiting(n) {
    const start = (this.stack.length - this.base) * this.width;
    return this.inputs.subarray(start, start + n * this.width);
  }

  /** @param {Float32Array} rows */
  take(rows) {
    this.inputs = concatenate([this.inputs, rows]);
  }

  /** Forgets the positions from `length` on, and the hidden states but those from there to `end`.
   * @param {number} length @param {number} end */
  cut(length, end) {
    this.stack.rollback(length);
    this.inputs = this.inputs.slice((length - this.base) * this.width, (end - this.base) * this.width);
    this.base = length;
  }
}
