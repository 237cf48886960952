// The memory of the compiled module: one heap that grows, arrays in it, and what was taken for a run given back at
// its end.

/** @import { Kind } from "./types.js" */

const ITEM_BYTES = { float32: 4, float64: 8, int64: 8, uint32: 4 };
const VIEWS = { float32: Float32Array, float64: Float64Array, int64: BigInt64Array, uint32: Uint32Array };
const PAGE_BYTES = 65536;
const ALIGNMENT = 64; // bytes: every array begins at a multiple of it

/** Thrown where the browser gives no more memory. */
export class MemoryError extends Error {}

export class Memory {
  /** @param {WebAssembly.Memory} memory @param {number} base where the module's own data ends */
  constructor(memory, base) {
    this.memory = memory;
    this.top = base;
  }

  /** An array of zeros. @param {Kind} kind @param {...number} shape */
  allocate(kind, ...shape) {
    const items = shape.reduce((product, n) => product * n, 1);
    const address = Math.ceil(this.top / ALIGNMENT) * ALIGNMENT;
    const end = address + items * ITEM_BYTES[kind];
    const missing = Math.ceil((end - this.memory.buffer.byteLength) / PAGE_BYTES);
    if (missing > 0) {
      try {
        this.memory.grow(missing);
      } catch {
        throw new MemoryError(`The browser has no memory for ${Math.ceil(end / 2 ** 20)} MB.`);
      }
    }
    this.top = end;
    new Uint8Array(this.memory.buffer, address, end - address).fill(0);
    return new Tensor(this, kind, shape, address);
  }

  /** Where the heap ends now, for `release`. */
  mark() {
    return this.top;
  }

  /** Gives back all that was taken since the `mark`. @param {number} mark */
  release(mark) {
    this.top = mark;
  }
}

/** An array in that memory, rows first. What it views is asked for each time: a heap that grew lies elsewhere. */
export class Tensor {
  /** @param {Memory} memory @param {Kind} kind @param {number[]} shape @param {number} address in bytes */
  constructor(memory, kind, shape, address) {
    this.memory = memory;
    this.kind = kind;
    this.shape = shape;
    this.address = address;
  }

  get size() {
    return this.shape.reduce((product, n) => product * n, 1);
  }

  get itemsize() {
    return ITEM_BYTES[this.kind];
  }

  /** @returns {any} a typed array over all of it */
  get data() {
    return new VIEWS[this.kind](this.memory.memory.buffer, this.address, this.size);
  }

  /** @param {number} i @returns {Float32Array} row i of float32, itself and no copy */
  row(i) {
    const width = this.size / this.shape[0];
    return new Float32Array(this.memory.memory.buffer, this.address + 4 * i * width, width);
  }

  /** The first n rows. @param {number} n */
  first(n) {
    return this.rows(0, n);
  }

  /** Its beginning as an array of this shape. @param {...number} shape */
  reshape(...shape) {
    return new Tensor(this.memory, this.kind, shape, this.address);
  }

  /** n rows from i on. @param {number} i @param {number} n */
  rows(i, n) {
    const shape = this.shape.slice(1);
    const rowBytes = shape.reduce((product, n) => product * n, this.itemsize);
    return new Tensor(this.memory, this.kind, [n, ...shape], this.address + i * rowBytes);
  }

  /** Part i along the first dimension. @param {number} i */
  part(i) {
    return this.rows(i, 1).reshape(...this.shape.slice(1));
  }
}
