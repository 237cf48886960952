// Weights as safetensors files hold them: names → bytes, types and shapes. Nothing is converted before it is packed.

/** @import { Stored } from "./types.js" */

const BYTES = /** @type {Record<string, number>} */ ({ BF16: 2, F32: 4, I16: 2, I32: 4, I64: 8 });
const HEADER_LIMIT = 2 ** 20; // bytes: the header of a bundled file has some 6000

/** What cannot be used, in a sentence. */
export class ModelError extends Error {}

/** The tensors of one file. @param {ArrayBuffer} file @param {string} name @returns {Map<string, Stored>} */
export function read(file, name) {
  const length = file.byteLength < 8 ? Number.NaN : Number(new DataView(file).getBigUint64(0, true));
  if (!(length > 0 && length <= HEADER_LIMIT && 8 + length <= file.byteLength))
    throw new ModelError(`${name} is no safetensors file, or a part of one.`);
  let header;
  try {
    header = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(new Uint8Array(file, 8, length)));
  } catch {
    throw new ModelError(`${name} has a header that cannot be read.`);
  }
  const found = new Map();
  for (const [key, about] of Object.entries(header)) {
    if (key === "__metadata__") continue;
    found.set(key, stored(file, 8 + length, about, `${name}: ${key}`));
  }
  return found;
}

/** @param {ArrayBuffer} file @param {number} base @param {any} about @param {string} what @returns {Stored} */
function stored(file, base, about, what) {
  const { dtype, shape, data_offsets: offsets } = about ?? {};
  const whole = (/** @type {unknown} */ n) => Number.isSafeInteger(n) && /** @type {number} */ (n) >= 0;
  if (!(dtype in BYTES)) throw new ModelError(`${what} is stored as ${dtype}, which is not read here.`);
  if (!Array.isArray(shape) || !shape.every(whole) || !Array.isArray(offsets) || !offsets.every(whole))
    throw new ModelError(`${what} has no shape or no place.`);
  const [start, end] = offsets;
  const size = shape.reduce((product, n) => product * n, 1);
  if (end - start !== size * BYTES[dtype] || base + end > file.byteLength)
    throw new ModelError(`${what} does not fit in its file: the file was cut short, or is another one.`);
  return { dtype, shape, bytes: new Uint8Array(file, base + start, end - start) };
}

/** The tensors of a checkpoint, taken out one by one; what is left at the end belongs to nobody. */
export class Weights {
  /** @param {Map<string, Stored>} tensors @param {string} name */
  constructor(tensors, name) {
    this.tensors = new Map(tensors);
    this.name = name;
    this.parameters = [...tensors.values()].reduce((sum, one) => sum + one.shape.reduce((n, d) => n * d, 1), 0);
  }

  /** @param {string} key */
  has(key) {
    return this.tensors.has(key);
  }

  /** @param {string} key @param {...number} shape @returns {Stored} */
  take(key, ...shape) {
    const found = this.tensors.get(key);
    if (!found) throw new ModelError(`${this.name}: the checkpoint lacks ${key}.`);
    if (String(found.shape) !== String(shape))
      throw new ModelError(`${this.name}: ${key} is [${found.shape}] in the checkpoint and [${shape}] by its config.`);
    this.tensors.delete(key);
    return found;
  }

  /** Raises for what nobody took. */
  finish() {
    for (const key of this.tensors.keys())
      if (!key.endsWith("rotary_emb.inv_freq"))
        throw new ModelError(`${this.name}: the checkpoint holds ${key}, which would be left out.`);
  }
}

/** A stored tensor as numbers. @param {Stored} tensor @returns {Float32Array} */
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
