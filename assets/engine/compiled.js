// The engine's compiled functions (specviz/engine/compiled) as WebAssembly, called by the names of their arguments, and
// their memory: one heap that grows, arrays in it, and what was taken for a run given back at its end.
//
//     const call = compiled.prepare("softmax_rows").set({ logits, temperature: 1, p });
//     call.run();

/** @import { Kind, Argument, Arguments, Value } from "./types.js" */

const ITEM_BYTES = { float32: 4, float64: 8, int64: 8, uint32: 4, uint8: 1, int8: 1 };
const VIEWS = {
  float32: Float32Array,
  float64: Float64Array,
  int64: BigInt64Array,
  uint32: Uint32Array,
  uint8: Uint8Array,
  int8: Int8Array,
};
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
    const missingPages = Math.ceil((end - this.memory.buffer.byteLength) / PAGE_BYTES);
    if (missingPages > 0) {
      try {
        this.memory.grow(missingPages);
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

/** A relaxed instruction (f32x4.relaxed_madd), and one of 128 bits: who validates a module of it has them. */
const RELAXED_SIMD = [253, 133, 2];
const SIMD = [253, 98];

/** A module of one function f() → i32. @param {number[]} code what these vectors of 16 bytes are given to
 * @param {ArrayLike<number>[]} vectors */
function smallModule(code, vectors) {
  const constants = vectors.flatMap((bytes) => [253, 12, ...Array.from(bytes)]);
  const body = [0, ...constants, ...code, 253, 27, 0, 11]; // the first of four numbers, by its bits
  const section = [1, body.length, ...body];
  const head = [0, 97, 115, 109, 1, 0, 0, 0, 1, 5, 1, 96, 0, 1, 127, 3, 2, 1, 0, 7, 5, 1, 1, 102, 0, 0];
  return new Uint8Array([...head, 10, section.length, ...section]);
}

/** @param {number[]} code what three vectors, or one, are given to */
const isSupported = (code, vectors = 1) =>
  WebAssembly.validate(smallModule(code, new Array(vectors).fill(new Array(16).fill(0))));

/** Whether relaxed SIMD rounds a product and its sum once: (1 + 2⁻¹²)² − (1 + 2⁻¹¹) is 2⁻²⁴, or nothing. */
function fusesProducts() {
  const floats = [1 + 2 ** -12, 1 + 2 ** -12, -(1 + 2 ** -11)].map((x) => Float32Array.of(x, x, x, x));
  const code = smallModule(
    RELAXED_SIMD,
    floats.map(({ buffer }) => new Uint8Array(buffer)),
  );
  const { f } = /** @type {any} */ (new WebAssembly.Instance(new WebAssembly.Module(code)).exports);
  return f() !== 0;
}

/** Which module runs here, or why none does. @param {boolean} [blocks] for weights in blocks
 * @returns {{ file: string, reason: string }} */
export function suitedModule(blocks = false) {
  if (typeof WebAssembly === "undefined") return { file: "", reason: "This browser has no WebAssembly." };
  if (!isSupported(SIMD)) return { file: "", reason: "This browser has no vector instructions (WebAssembly SIMD)." };
  return { file: `specviz${blocks ? "-blocks" : ""}${isSupported(RELAXED_SIMD, 3) ? "" : "-plain"}.wasm`, reason: "" };
}

/** How many numbers an argument is handed over as: of an array two owners, items, bytes of one, where it lies,
 * shape, strides.
 * @param {Argument} shape @returns {number} */
function slots(shape) {
  if (shape === null) return 0;
  if (Array.isArray(shape)) return 5 + 2 * shape[1];
  return typeof shape === "string" ? 1 : Object.values(shape).reduce((sum, part) => sum + slots(part), 0);
}

const SHARED_PAGES = { initial: 32, maximum: 8192 }; // of a module whose passes threads make together
const STATE_SIZE = 112; // of engine/compiled/threads.py
const STACK_BYTES = 1 << 18; // of a second thread

/** Whether two threads may have one memory, and this one may wait for the other, as a page's own may not. */
const mayShare = () => globalThis.crossOriginIsolated && !("document" in globalThis) && navigator.hardwareConcurrency > 1;

export class Compiled {
  /** @param {WebAssembly.Exports} functions @param {Record<string, Arguments>} shapes
   * @param {boolean} isRelaxed whether the module has relaxed SIMD @param {WebAssembly.Memory} memory */
  constructor(functions, shapes, isRelaxed, memory) {
    this.fuses = isRelaxed && fusesProducts();
    this.functions = /** @type {Record<string, (at: number) => number>} */ (/** @type {unknown} */ (functions));
    this.shapes = shapes;
    this.memory = new Memory(memory, /** @type {WebAssembly.Global} */ (functions.__heap_base).value);
    this.state = this.memory.allocate("int64", STATE_SIZE);
    this.maxThreads = 1; // that a pass has room for
    this.threads = 1; // that make a pass
    /** @type {Worker | null} */
    this.secondThread = null;
  }

  /** @param {BufferSource} bytes a module @param {Record<string, Arguments>} shapes of specviz.json
   * @param {boolean} isRelaxed @returns {Promise<Compiled>} */
  static async load(bytes, shapes, isRelaxed) {
    const module = await WebAssembly.compile(bytes);
    const shared = WebAssembly.Module.imports(module).length > 0;
    /** @type {WebAssembly.ModuleImports} */
    const env = shared ? { memory: new WebAssembly.Memory({ ...SHARED_PAGES, shared }) } : {};
    const { exports } = await WebAssembly.instantiate(module, { env });
    const memory = /** @type {WebAssembly.Memory | undefined} */ (env.memory ?? exports.memory);
    if (!memory || !exports.__heap_base) throw new WebAssembly.LinkError("another module");
    const compiled = new Compiled(exports, shapes, isRelaxed, memory);
    if (shared && mayShare()) await compiled._startThread(module);
    return compiled;
  }

  /** A second thread, which sleeps until a pass asks for it; where none can be had there is one as before.
   * @param {WebAssembly.Module} module */
  async _startThread(module) {
    const stack = this.memory.allocate("uint8", STACK_BYTES);
    const { block } = this.prepare("serve_passes").set({ state: this.state });
    const worker = new Worker(new URL("thread.js", import.meta.url), { type: "module" });
    await new Promise((resolve) => {
      worker.onmessage = () => {
        this.secondThread = worker;
        this.maxThreads = this.threads = 2;
        resolve(null);
      };
      worker.onerror = (event) => {
        event.preventDefault(); // or it is an error of this worker, too
        resolve(null);
      };
      const { memory } = this.memory;
      worker.postMessage({ module, memory, stack: stack.address + STACK_BYTES, call: block.address });
    });
  }

  /** @param {string} name */
  prepare(name) {
    return new Call(this, name);
  }
}

/** One function with its arguments where it reads them, 8 bytes each: what does not change is written once. */
class Call {
  /** @param {Compiled} compiled @param {string} name */
  constructor(compiled, name) {
    this.compiled = compiled;
    this.name = name;
    /** @type {Record<string, number>} */
    this.starts = {};
    let at = 2; // after where a result and a failure would be written
    for (const [parameter, shape] of Object.entries(compiled.shapes[name])) {
      this.starts[parameter] = at;
      at += slots(shape);
    }
    this.block = compiled.memory.allocate("float64", at + 32);
    const words = this._words();
    words[0] = this.block.address + 8 * at;
    words[2] = this.block.address + 8 * at + 128;
    for (const [parameter, shape] of Object.entries(compiled.shapes[name])) this._write(this.starts[parameter], shape, undefined);
  }

  _words() {
    return new Int32Array(this.block.memory.memory.buffer, this.block.address, 2 * this.block.size);
  }

  /** What is not named stays as it was, at first nothing: empty arrays and zeros.
   * @param {Record<string, Value>} values */
  set(values) {
    for (const [parameter, value] of Object.entries(values)) {
      const shape = this.compiled.shapes[this.name][parameter];
      if (shape === undefined) throw new TypeError(`${this.name} takes no ${parameter}`);
      this._write(this.starts[parameter], shape, value);
    }
    return this;
  }

  run() {
    const status = this.compiled.functions[this.name](this.block.address);
    if (status > 0) throw new Error(`the compiled ${this.name} failed with ${status}`);
  }

  /** @param {number} slot @param {Argument} shape @param {Value | undefined} value @returns {void} */
  _write(slot, shape, value) {
    if (shape === null) return;
    const words = this._words();
    if (Array.isArray(shape)) {
      if (value instanceof Tensor) this._writeArray(words, slot, shape, value);
      else if (value === undefined) words.fill(0, 2 * slot, 2 * (slot + 5 + 2 * shape[1]));
      else throw new TypeError(`${this.name} takes an array of ${shape}`);
    } else if (typeof shape === "object") {
      let at = slot;
      const fields = /** @type {Record<string, Value>} */ (value ?? {});
      for (const [field, part] of Object.entries(shape)) {
        this._write(at, part, fields[field]);
        at += slots(part);
      }
    } else {
      const number = Number(value ?? 0);
      words[2 * slot] = words[2 * slot + 1] = 0;
      if (shape === "float32") new Float32Array(words.buffer, words.byteOffset + 8 * slot, 1)[0] = number;
      else if (shape === "float64") new Float64Array(words.buffer, words.byteOffset + 8 * slot, 1)[0] = number;
      else words[2 * slot] = number;
    }
  }

  /** @param {Int32Array} words @param {number} slot @param {[string, number]} shape @param {Tensor} array */
  _writeArray(words, slot, [kind, dimensions], array) {
    if (array.kind !== kind || array.shape.length !== dimensions)
      throw new TypeError(`${this.name} takes ${dimensions} dimensions of ${kind}, not ${array.shape.length} of ${array.kind}`);
    const { shape, itemsize } = array;
    const numbers = [0, 0, array.size, itemsize, array.address, ...shape];
    let stride = itemsize;
    for (let i = dimensions - 1; i >= 0; i--) {
      numbers[5 + dimensions + i] = stride;
      stride *= shape[i];
    }
    for (let i = 0; i < numbers.length; i++) {
      words[2 * (slot + i)] = numbers[i];
      words[2 * (slot + i) + 1] = 0;
    }
  }
}
