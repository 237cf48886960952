// The layers of one text: their KV cache, and a pass over some rows as one compiled call
// (specviz/engine/backends/compiled.py).

import { kvCache, move, workspace } from "./cache.js";
import { logitsOf } from "./logits.js";
import { PANEL, roundToPanels } from "./packing.js";
import { Tree } from "./tree.js";

/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Dimensions, Pass } from "./types.js" */
/** @typedef {{ layers: Record<string, Tensor>, dimensions: Dimensions, rope: Tensor, vocabulary: number }} Laid */

/** Rows of one call: a tree of 64 tokens and what a cache may lag behind. A longer text goes in parts: a row's numbers
 * are the same. */
export const ROWS = 72;
const DEEP = 32; // rows of a path, more than a tree is deep

export class Stack {
  /** @param {Compiled} compiled @param {Laid} laid @param {number} capacity positions
   * @param {number} taps layers looked into */
  constructor(compiled, laid, capacity, taps = 0) {
    const { memory } = compiled;
    const { layers: w, dimensions, rope, vocabulary } = laid;
    const { width, heads, kvHeads, eps } = dimensions;
    this.capacity = capacity;
    this.length = 0;
    this.tree = new Tree();
    this.width = width;
    this.layers = w.qkv.shape[0];
    this.vocabulary = vocabulary;
    this.out = [0, 0];
    const f32 = (/** @type {number[]} */ ...shape) => memory.room("float32", ...shape);
    const s = workspace(memory, laid, ROWS, capacity);
    this.x = s.x;
    this.feed = memory.room("int64", ROWS);
    this.features = f32(ROWS, width);
    this.beside = f32(ROWS * 2 * width);
    this.y = f32(ROWS * roundToPanels(vocabulary));
    this.taps = memory.room("int64", taps);
    this.tapped = f32(taps * ROWS * width);
    this.ids = memory.room("int64", 32);
    this.u = memory.room("float64", 32);
    this.q = f32(32, vocabulary);
    const kv_cache = kvCache(memory, laid, capacity);
    const dims = { 0: heads, 1: kvHeads, 2: 1 };
    this.state = memory.room("int64", 2);
    this.kv = kv_cache;
    this.paths = memory.room("int64", ROWS * DEEP);
    this.depths = memory.room("int64", ROWS);
    this.call = compiled.prepare("forward_pass").set({ w, s, kv_cache, rotation: rope, dims, eps, state: this.state });
  }

  /** @param {number} length */
  rollback(length) {
    if (!(length >= 0 && length <= this.length))
      throw new Error(`cannot roll back to ${length} of ${this.length} positions`);
    this.tree.cut(Math.max(0, length - this.settled));
    this.length = length;
  }

  /** Positions of the text before all that branches. */
  get settled() {
    return this.length - this.tree.length;
  }

  /** Of a block that branched an ascending path stays. @param {number[]} path rows, counted from the settled text */
  keep(path) {
    const { settled } = this;
    for (const [i, row] of path.entries()) if (row !== i) move(this.kv, settled + row, settled + i);
    this.rollback(settled + path.length);
    this.tree.cut(0);
  }

  /** What rows with these parents see, which join the tree. @param {number[]} parents */
  _branch(parents) {
    const { tree, settled } = this;
    const first = tree.length;
    tree.add(parents);
    const depths = tree.depths.slice(first);
    const deep = Math.max(...depths) + 1;
    if (deep > DEEP) throw new Error(`a block that branches is at most ${DEEP} deep`);
    const all = this.paths.data;
    depths.forEach((depth, m) => {
      this.depths.data[m] = BigInt(depth);
      for (const [i, row] of tree.path(first + m).entries()) all[m * deep + i] = BigInt(row);
    });
    return {
      text_length: settled,
      paths: this.paths.shaped(depths.length, deep),
      depths: this.depths.first(depths.length),
    };
  }

  /** A pass over at most ROWS rows, and with `draws` those of a block after it. The cache grows by all that is fed.
   * @param {Pass} pass */
  run({ feed, features, entry, head, keep = 0, until = this.layers, taps = [], draws, parents, link, alike = 0 }) {
    const n = feed.length;
    // past the last layer's keys and values: rows whose logits nobody asks for, unless a head hands all on
    const spare = !head || entry?.join || taps.includes(this.layers) ? 0 : n - keep;
    const again = Math.max(0, (draws?.k ?? 0) - keep); // passes after the first, of a token each
    const grown = n + again;
    if (n < 1 || n > ROWS) throw new Error(`a pass is over 1 to ${ROWS} rows, not ${n}`);
    if (this.length + grown > this.capacity)
      throw new Error(`${this.length} cached positions and ${grown} more do not fit in ${this.capacity}`);
    if (this.tree.length && !parents) throw new Error("keep a path of the block that branches before a chain follows");
    this._input(feed, features);
    const wide = entry ? this.width * (entry.join ? 2 : 1) : 0;
    const table = this.table;
    const ids = this.ids.first(draws?.k ?? 0);
    if (draws?.u) this.u.data.set(draws.u);
    this.taps.data.set(taps.map(BigInt));
    this.call.set({
      feed: this.feed.first(n),
      features: this.features.first(features ? n : 0),
      entry: { table, token_norm: entry?.tokenNorm, feature_norm: entry?.featureNorm, join: entry?.join },
      side_input: this.beside.shaped(n, wide),
      start: this.length,
      until,
      tree: parents ? this._branch(parents) : undefined,
      equal_rows: alike,
      cache_only: spare,
      taps: this.taps.first(taps.length),
      tap_rows: this.tapped.shaped(taps.length, n, this.width),
      exit: { norm: head?.norm, matrix: head?.matrix },
      y: this.y.shaped(keep, head ? head.matrix.shape[0] * PANEL : 0),
      draws: {
        vocabulary: head?.columns ? head.rows : (draws?.known ?? 0),
        columns: head?.columns,
        temperature: draws?.temperature ?? 1,
        argmax: draws?.argmax ?? true,
        u: this.u.first(draws?.u ? draws.k : 0),
        q: this.q.first(draws?.u ? draws.k : 0),
        ids,
        before: link?.before,
        after: link?.after,
        link_logits: link?.added,
      },
    });
    this.call.run();
    this.length += grown;
    this.out = again ? [0, 1] : [spare, n];
  }

  /** @param {number[]} feed @param {Float32Array | undefined} features */
  _input(feed, features) {
    const ids = this.feed.data;
    for (let i = 0; i < feed.length; i++) ids[i] = BigInt(feed[i]);
    if (features) this.features.data.set(features);
  }

  /** @type {Tensor | undefined} the packed embedding that ids are looked up in */
  table;

  /** What left the last layer in the latest pass, a copy [n, width]: of the rows that logits were asked of, or of all
   * where none were, or a head hands it on. */
  get left() {
    const [first, end] = this.out;
    return new Float32Array(this.x.data.subarray(first * this.width, end * this.width));
  }

  /** The ids that the latest block drew. @param {number} k @returns {number[]} */
  drawn(k) {
    return Array.from(this.ids.data.subarray(0, k), Number);
  }

  /** What went into the layers `taps` in the latest pass over n rows, copies [n, width]; the number of layers stands
   * for what left the
   * last one. @param {number[]} taps @param {number} n @returns {Float32Array[]} */
  looked(taps, n) {
    const all = this.tapped.data;
    const rows = n * this.width;
    return taps.map((layer, i) =>
      layer === this.layers ? this.left : new Float32Array(all.subarray(i * rows, (i + 1) * rows)),
    );
  }

  /** The logits [keep, V] of the latest pass. @param {import("./types.js").Head} head @param {number} keep */
  logits(head, keep) {
    return logitsOf(this.y, head, keep, this.vocabulary);
  }
}
