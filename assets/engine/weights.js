// Weights as safetensors files hold them: names → bytes, types and shapes. Nothing is converted before it is packed.

/** @import { StoredTensor } from "./types.js" */

const ITEM_BYTES = /** @type {Record<string, number>} */ ({ BF16: 2, F32: 4, I16: 2, I32: 4, I64: 8 });
const MAX_HEADER_BYTES = 2 ** 20; // bytes: the header of a bundled file has some 6000

/** What cannot be used, in a sentence. */
export class ModelError extends Error {}

/** The tensors of one file. @param {ArrayBuffer} file @param {string} name @returns {Map<string, StoredTensor>} */
export function readTensors(file, name) {
  const length = file.byteLength < 8 ? Number.NaN : Number(new DataView(file).getBigUint64(0, true));
  if (!(length > 0 && length <= MAX_HEADER_BYTES && 8 + length <= file.byteLength))
    throw new ModelError(`${name} is no safetensors file, or a part of one.`);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(file, 8, length)));
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

/** @param {ArrayBuffer} file @param {number} base @param {any} entry @param {string} what @returns {StoredTensor} */
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
  return { dtype, shape, bytes: new Uint8Array(file, base + start, end - start) };
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
export function numbers({ dtype, bytes, shape }) {
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
