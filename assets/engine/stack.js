// The layers of one text: their KV cache, and a pass over some rows as one compiled call
// (specviz/engine/backends/compiled.py).

import { kvCache, workspace } from "./cache.js";
import { PANEL, roundToPanels } from "./packing.js";

/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Dimensions, Head, Pass } from "./types.js" */

/**
 * @typedef {{ layers: Record<string, Tensor>, dimensions: Dimensions, rope: Tensor, vocabulary: number }} StackWeights
 */

/** Rows of one call: more than a block has. A longer text goes in parts: a row's numbers are the same. */
export const ROWS = 72;

export class Stack {
  /** @param {Compiled} compiled @param {StackWeights} weights @param {number} capacity positions
   * @param {number} taps layers looked into */
  constructor(compiled, weights, capacity, taps = 0) {
    const { memory } = compiled;
    const { layers: w, dimensions, rope, vocabulary } = weights;
    const { width, heads, kvHeads, eps } = dimensions;
    this.capacity = capacity;
    this.length = 0;
    this.width = width;
    this.layers = w.qkv.shape[0];
    this.vocabulary = vocabulary;
    this.outputRows = [0, 0];
    const f32 = (/** @type {number[]} */ ...shape) => memory.allocate("float32", ...shape);
    const s = workspace(memory, weights, ROWS, capacity);
    this.x = s.x;
    this.feed = memory.allocate("int64", ROWS);
    this.features = f32(ROWS, width);
    this.sideInput = f32(ROWS * width);
    this.y = f32(ROWS * roundToPanels(vocabulary));
    this.taps = memory.allocate("int64", taps);
    this.tapRows = f32(taps * ROWS * width);
    this.ids = memory.allocate("int64", 32);
    this.u = memory.allocate("float64", 32);
    this.q = f32(32, vocabulary);
    const kv_cache = kvCache(memory, weights, capacity);
    const dims = { 0: heads, 1: kvHeads, 2: 1 };
    this.state = memory.allocate("int64", 2);
    this.call = compiled.prepare("forward_pass").set({ w, s, kv_cache, rotation: rope, dims, eps, state: this.state });
  }

  /** @param {number} length */
  rollback(length) {
    if (!(length >= 0 && length <= this.length))
      throw new Error(`cannot roll back to ${length} of ${this.length} positions`);
    this.length = length;
  }

  /** A pass over at most ROWS rows, and with `draws` those of a block after it. The cache grows by all that is fed.
   * @param {Pass} pass */
  run({ feed, features, entry, head, keep = 0, until = this.layers, taps = [], draws }) {
    const n = feed.length;
    const cacheOnly = head ? n - keep : 0; // past the last layer's keys and values: rows whose logits nobody asks for
    const laterPasses = draws ? draws.k - 1 : 0; // after the first, of a token each
    const newPositions = n + laterPasses;
    if (n < 1 || n > ROWS) throw new Error(`a pass is over 1 to ${ROWS} rows, not ${n}`);
    if (this.length + newPositions > this.capacity)
      throw new Error(`${this.length} cached positions and ${newPositions} more do not fit in ${this.capacity}`);
    this.feed.data.set(feed.map(BigInt));
    if (features) this.features.data.set(features);
    const table = this.table;
    const ids = this.ids.first(draws?.k ?? 0);
    if (draws?.u) this.u.data.set(draws.u);
    this.taps.data.set(taps.map(BigInt));
    this.call.set({
      feed: this.feed.first(n),
      features: this.features.first(features ? n : 0),
      entry: { table, token_norm: entry?.tokenNorm },
      side_input: this.sideInput.reshape(n, entry ? this.width : 0),
      start: this.length,
      until,
      cache_only: cacheOnly,
      taps: this.taps.first(taps.length),
      tap_rows: this.tapRows.reshape(taps.length, n, this.width),
      exit: { norm: head?.norm, matrix: head?.matrix },
      y: this.y.reshape(keep, head ? head.matrix.shape[0] * PANEL : 0),
      draws: {
        vocabulary: head?.columns ? head.rows : (draws?.vocabulary ?? 0),
        columns: head?.columns,
        temperature: draws?.temperature ?? 1,
        argmax: draws?.argmax ?? true,
        u: this.u.first(draws?.u ? draws.k : 0),
        q: this.q.first(draws?.u ? draws.k : 0),
        ids,
      },
    });
    this.call.run();
    this.length += newPositions;
    this.outputRows = laterPasses ? [0, 1] : [cacheOnly, n];
  }

  /** @type {Tensor | undefined} the packed embedding that ids are looked up in */
  table;

  /** What left the last layer in the latest pass, a copy [n, width]: of the rows that logits were asked of, or of all
   * where none were. */
  get lastHidden() {
    const [first, end] = this.outputRows;
    return new Float32Array(this.x.data.subarray(first * this.width, end * this.width));
  }

  /** The ids that the latest block drew. @param {number} k @returns {number[]} */
  draftIds(k) {
    return Array.from(this.ids.data.subarray(0, k), Number);
  }

  /** What went into the layers `taps` in the latest pass over n rows, copies [n, width]. @param {number[]} taps
   * @param {number} n @returns {Float32Array[]} */
  tapInputs(taps, n) {
    const all = this.tapRows.data;
    const rows = n * this.width;
    return taps.map((_, i) => new Float32Array(all.subarray(i * rows, (i + 1) * rows)));
  }

  /** The logits [keep, V] of the latest pass: its first rows, which lie as far apart as whole panels, are put side by
   * side where they are. Of a head with a vocabulary of its own `keep` is 1. @param {Head} head @param {number} keep */
  logits({ matrix, rows, columns }, keep) {
    const all = this.y.data;
    const paddedWidth = matrix.shape[0] * PANEL;
    if (columns) scatterColumns(all.subarray(0, this.vocabulary), columns.data);
    else if (paddedWidth !== rows)
      for (let i = 1; i < keep; i++) all.copyWithin(i * rows, i * paddedWidth, i * paddedWidth + rows);
    return this.y.reshape(keep, columns ? this.vocabulary : rows);
  }
}

/** What a head's own vocabulary lacks is impossible. @param {Float32Array} row [V], which begins with the head's logits
 * @param {BigInt64Array} columns */
function scatterColumns(row, columns) {
  const own = row.slice(0, columns.length);
  row.fill(-Infinity);
  for (const [r, logit] of own.entries()) row[Number(columns[r])] = logit;
}
