// Weights as safetensors files hold them: names → bytes, types and shapes; and packed for the compiled product
// (specviz/engine/compiled/forward.py): panels of 32 outputs, in a panel column after column, of bf16 output i in the
// lower half of a word and output 16 + i in the upper one. Nothing is converted before.

/** @import { Memory, Tensor } from "./compiled.js" */
/** @import { StoredTensor } from "./types.js" */

const ITEM_BYTES = /** @type {Record<string, number>} */ ({ BF16: 2, F32: 4, I16: 2, I32: 4, I64: 8 });
const MAX_HEADER_BYTES = 2 ** 20; // bytes: the header of a bundled file has some 6000

/** What cannot be used, in a sentence. */
export class ModelError extends Error {}

/** The tensors of one file. @param {Uint8Array<ArrayBuffer>} file @param {string} name @returns {Map<string, StoredTensor>} */
export function readTensors(file, name) {
  const length = file.byteLength < 8 ? Number.NaN : Number(new DataView(file.buffer, file.byteOffset).getBigUint64(0, true));
  if (!(length > 0 && length <= MAX_HEADER_BYTES && 8 + length <= file.byteLength))
    throw new ModelError(`${name} is no safetensors file, or a part of one.`);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(file.subarray(8, 8 + length)));
  } catch {
    throw new ModelError(`${name} has a header that cannot be read.`);
  }
  const tensors = new Map();
  for (const [key, entry] of Object.entries(header)) {
    if (key === "__metadata__") continue;
    tensors.set(key, tensorOf(file, 8 + length, entry, `${name}: ${key}`));
  }
  return tensors;
}

/** @param {Uint8Array<ArrayBuffer>} file @param {number} base @param {any} entry @param {string} what @returns {StoredTensor} */
function tensorOf(file, base, entry, what) {
  const { dtype, shape, data_offsets: offsets } = entry ?? {};
  const isCount = (/** @type {unknown} */ n) => Number.isSafeInteger(n) && /** @type {number} */ (n) >= 0;
  if (!(dtype in ITEM_BYTES)) throw new ModelError(`${what} is stored as ${dtype}, which is not read here.`);
  if (!Array.isArray(shape) || !shape.every(isCount) || !Array.isArray(offsets) || !offsets.every(isCount))
    throw new ModelError(`${what} has no shape or no place.`);
  const [start, end] = offsets;
  const size = shape.reduce((product, n) => product * n, 1);
  if (end - start !== size * ITEM_BYTES[dtype] || base + end > file.byteLength)
    throw new ModelError(`${what} does not fit in its file: the file was cut short, or is another one.`);
  return { dtype, shape, bytes: file.subarray(base + start, base + end) };
}

/** The tensors of a checkpoint, taken out one by one; what is left at the end belongs to nobody. */
export class Weights {
  /** @param {Map<string, StoredTensor>} tensors @param {string} name */
  constructor(tensors, name) {
    this.tensors = new Map(tensors);
    this.name = name;
    this.parameters = [...tensors.values()].reduce((sum, one) => sum + one.shape.reduce((n, d) => n * d, 1), 0);
  }

  /** @param {string} key */
  has(key) {
    return this.tensors.has(key);
  }

  /** @param {string} key @param {...number} shape @returns {StoredTensor} */
  take(key, ...shape) {
    const tensor = this.tensors.get(key);
    if (!tensor) throw new ModelError(`${this.name}: the checkpoint lacks ${key}.`);
    if (String(tensor.shape) !== String(shape))
      throw new ModelError(`${this.name}: ${key} is [${tensor.shape}] in the checkpoint and [${shape}] by its config.`);
    this.tensors.delete(key);
    return tensor;
  }

  /** Raises for what nobody took. */
  finish() {
    for (const key of this.tensors.keys())
      if (!key.endsWith("rotary_emb.inv_freq"))
        throw new ModelError(`${this.name}: the checkpoint holds ${key}, which would be left out.`);
  }
}

/** A stored tensor as numbers. @param {StoredTensor} tensor @returns {Float32Array} */
export function toFloat32({ dtype, bytes, shape }) {
  const size = shape.reduce((product, n) => product * n, 1);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (dtype === "F32") return Float32Array.from({ length: size }, (_, i) => view.getFloat32(4 * i, true));
  if (dtype === "BF16") {
    const words = Uint32Array.from({ length: size }, (_, i) => view.getUint16(2 * i, true) << 16);
    return new Float32Array(words.buffer);
  }
  if (dtype === "I16") return Float32Array.from({ length: size }, (_, i) => view.getInt16(2 * i, true));
  if (dtype === "I32") return Float32Array.from({ length: size }, (_, i) => view.getInt32(4 * i, true));
  return Float32Array.from({ length: size }, (_, i) => Number(view.getBigInt64(8 * i, true)));
}

export const PANEL = 32;
const LANES = 16;

/** Outputs of the whole panels that hold n. @param {number} n */
export function paddedLength(n) {
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
  return memory.allocate("uint32", ...before, paddedLength(outputs) / PANEL, columns, LANES);
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
export function interleave(rows, size) {
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
