// What a stack holds of its text, laid out as weights are (specviz/engine/compiled/forward.py, KVCache), and the room
// that a pass works in.

import { PANEL, roundToPanels } from "./packing.js";

/** @import { Memory, Tensor } from "./memory.js" */
/** @import { StackWeights } from "./stack.js" */
/** @typedef {{ keys: Tensor, values: Tensor }} KVCache */

/** @param {Memory} memory @param {StackWeights} weights @param {number} capacity positions @returns {KVCache} */
export function kvCache(memory, { layers, dimensions: { kvHeads, size } }, capacity) {
  const count = layers.qkv.shape[0];
  return {
    keys: memory.allocate("float32", count, 1, kvHeads, roundToPanels(capacity) / PANEL, size, PANEL),
    values: memory.allocate("float32", count, 1, kvHeads, roundToPanels(size) / PANEL, capacity, PANEL),
  };
}

/** Room for what a pass over `rows` works out on its way. @param {Memory} memory @param {StackWeights} weights
 * @param {number} rows @param {number} capacity */
export function workspace(memory, { layers: w, dimensions }, rows, capacity) {
  const { width, heads, kvHeads, size, inner } = dimensions;
  const f32 = (/** @type {number[]} */ ...shape) => memory.allocate("float32", ...shape);
  const group = rows * (heads / kvHeads);
  return {
    x: f32(rows, width),
    inputs: f32(1, rows, Math.max(width, w.qkv.shape[2])),
    qkv: f32(rows, w.qkv.shape[1] * PANEL),
    queries: f32(1, group, size),
    scores: f32(1, group, roundToPanels(capacity)),
    head_outputs: f32(1, group, roundToPanels(size)),
    attention: f32(rows, heads * size),
    products: f32(rows, w.out.shape[1] * PANEL),
    gate_up: f32(rows, w.gate_up.shape[1] * PANEL),
    mlp: f32(rows, inner),
  };
}
