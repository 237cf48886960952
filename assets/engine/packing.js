// A weight matrix laid out for the compiled product (specviz/engine/compiled/forward.py): panels of 32 outputs, in a
// panel column
// after column, of bf16 output i in the lower half of a word and output 16 + i in the upper one.

import { ModelError } from "./weights.js";

/** @import { Memory, Tensor } from "./memory.js" */
/** @import { StoredTensor } from "./types.js" */

export const PANEL = 32;
const LANES = 16;

/** Outputs of the whole panels that hold n. @param {number} n */
export function roundToPanels(n) {
  return Math.ceil(n / PANEL) * PANEL;
}

/** The rows of a matrix that is stored in bf16. @param {StoredTensor} matrix @param {string} name
 * @returns {Uint16Array[]} */
export function rows({ dtype, shape, bytes }, name) {
  if (dtype !== "BF16") throw new ModelError(`${name} is stored as ${dtype}; matrices are read as BF16 here.`);
  const [count, columns] = shape;
  const even = bytes.byteOffset % 2 ? bytes.slice() : bytes;
  const all = new Uint16Array(even.buffer, even.byteOffset, count * columns);
  return Array.from({ length: count }, (_, i) => all.subarray(i * columns, (i + 1) * columns));
}

/** @param {Memory} memory @param {number} outputs @param {number} columns
 * @param {...number} before dimensions in front */
export function panels(memory, outputs, columns, ...before) {
  return memory.allocate("uint32", ...before, roundToPanels(outputs) / PANEL, columns, LANES);
}

/** Fills `packed` [⌈N/32⌉, K, 16] with the rows of W [N, K]. @param {Uint16Array[]} w @param {Tensor} packed */
export function pack(w, packed) {
  const columns = packed.shape[1];
  /** @type {Uint32Array} */
  const words = packed.data;
  for (let n = 0; n < w.length; n++) {
    const row = w[n];
    const lane = n % LANES;
    const shift = n % PANEL < LANES ? 0 : 16;
    let at = Math.floor(n / PANEL) * columns * LANES + lane;
    for (let k = 0; k < columns; k++, at += LANES) words[at] |= row[k] << shift;
  }
  return packed;
}

/** Rows of a query or key projection with each rotary pair side by side, by heads of `size`. @template T
 * @param {T[]} rows @param {number} size @returns {T[]} */
export function neighbours(rows, size) {
  return rows.map((_, n) => {
    const inside = n % size;
    return rows[n - inside + (inside >> 1) + (inside % 2 ? size / 2 : 0)];
  });
}

/** The rows `ids` of a matrix that was packed. @param {Tensor} packed @param {Iterable<number>} ids
 * @returns {Uint16Array[]} */
export function unpack({ shape, data: words }, ids) {
  const columns = shape[1];
  return Array.from(ids, (n) => {
    const start = Math.floor(n / PANEL) * columns * LANES + (n % LANES);
    const shift = n % PANEL < LANES ? 0 : 16;
    return Uint16Array.from({ length: columns }, (_, k) => words[start + k * LANES] >>> shift);
  });
}
