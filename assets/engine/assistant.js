// An assistant in a browser (specviz/engine/browser.py): its weights come in parts that are named by their hash, and lie in
// the module's memory as they come. The service worker keeps them (site/offline.js), also when the site is a new one.

import { median, sha256 } from "../trace/events.js";
import { Tensor } from "./compiled.js";
import { Eagle } from "./draft.js";
import { ASSISTANT } from "./engine.js";
import { json, ModelCache } from "./load.js";
import { Llama } from "./model.js";
import { Text } from "./text.js";
import { ModelError, PANEL, paddedLength } from "./weights.js";

/** @import { Memory } from "./compiled.js" */
/** @import { AssistantIndex, AssistantPart, ModelInfo, Shape } from "./types.js" */

const INDEX = "assistant/index.json";
const TRIES = 2; // of a part that came, but broken
const ARITHMETIC = "q8 activations";

/** The assistant and what drafts for it, of one module. */
export class Assistant extends ModelCache {
  /** @returns {Promise<AssistantIndex>} */
  index() {
    return this._once("index", () => json(this.fetch, INDEX));
  }

  /** @param {string} target @param {string | null} draft */
  async setUp(target, draft) {
    const setup = await super.setUp(target, draft);
    this.compiled.threads = bestThreadCount(setup.target);
    return setup;
  }

  /** @param {string} key */
  loadModel(key) {
    if (key !== ASSISTANT)
      throw new ModelError(`${key} drafts for the stories alone. Choose the EAGLE head, lookup or early exit for the assistant.`);
    return this._once("model", async () => {
      const [{ name, target, context }, tensors] = await Promise.all([this.index(), this._image()]);
      const head = { norm: tensors.norm, matrix: tensors.matrix ?? tensors.table, rows: target.info.vocabulary };
      const parts = { layers: layersOf(tensors, ""), table: tensors.table, head, rope: tensors.rope };
      return new Llama(this.compiled, name, { ...parts, context, shape: shapeOf(target.shape), info: this._info(target) });
    });
  }

  /** @param {Llama} target */
  async _loadEagle(target) {
    const [{ eagle }, tensors] = await Promise.all([this.index(), this._image()]);
    if (!eagle) throw new ModelError(`${target.name} comes without an EAGLE head.`);
    const columns = tensors["eagle.columns"];
    const rows = () => rowsOfBlocks(this.compiled.memory, tensors.table, Array.from(columns.data, Number));
    const matrix = tensors["eagle.matrix"] ?? (columns && rows());
    const own = columns ? { matrix, columns, rows: columns.size } : {};
    return new Eagle(target, {
      taps: eagle.taps,
      shape: shapeOf(eagle.shape),
      rope: tensors["eagle.rope"] ?? target.rope,
      fc: tensors["eagle.fc"],
      layers: layersOf(tensors, "eagle."),
      entry: { tokenNorm: tensors["eagle.token_norm"] },
      head: { ...target.head, norm: tensors["eagle.norm"], ...own },
      info: this._info(eagle),
    });
  }

  async _loadText() {
    const { tokenizer, eos, chat } = await this.index();
    const file = new TextDecoder().decode(await this._part(tokenizer));
    return new Text(JSON.parse(file), {}, eos, chat);
  }

  /** What a trace says of a model, computed here. @param {{ info: ModelInfo }} model @returns {ModelInfo} */
  _info({ info }) {
    return { ...info, arithmetic: this.compiled.fuses ? ARITHMETIC : `${ARITHMETIC}, unfused` };
  }

  /** The arrays of all parts, by their names. @returns {Promise<Record<string, Tensor>>} */
  _image() {
    return this._once("image", async () => {
      const { size, parts, arrays } = await this.index();
      const { memory } = this.compiled;
      const mark = memory.mark();
      try {
        const image = memory.allocate("uint8", size);
        const piece = new Uint8Array(Math.max(...parts.map(({ bytes }) => bytes))); // one for all: each else is garbage
        let at = 0;
        for (const part of parts) {
          image.data.set(await this._part(part, piece), at);
          at += part.bytes;
        }
        const tensors = Object.entries(arrays).map(([name, [kind, shape, offset]]) => {
          return [name, new Tensor(memory, kind, shape, image.address + offset)];
        });
        return Object.fromEntries(tensors);
      } catch (error) {
        memory.release(mark);
        throw error;
      }
    });
  }

  /** One part, as its hash says it is. @param {AssistantPart} part
   * @param {Uint8Array<ArrayBuffer>} [into] where it may lie @returns {Promise<Uint8Array<ArrayBuffer>>} */
  async _part({ file, sha256: digest, bytes: size }, into) {
    const isWhole = async (/** @type {Uint8Array<ArrayBuffer>} */ bytes) =>
      bytes.byteLength === size && (!globalThis.crypto?.subtle || (await sha256(bytes)) === digest);
    for (let i = 0; i < TRIES; i++) {
      const bytes = await this.fetch(file, into);
      const part = (await isWhole(bytes)) ? bytes : null;
      await keepPart(file, digest, part).catch(() => {}); // where there is no room, it is fetched again another time
      if (part) return part;
    }
    throw new ModelError(`${file} came ${TRIES} times with other bytes than its hash says. Try again later.`);
  }
}

/** Where the site's service worker looks for it (site/offline.js), which would need room for three copies to keep it.
 * @param {string} file @param {string} digest @param {Uint8Array<ArrayBuffer> | null} bytes null: what lies there was spoilt */
async function keepPart(file, digest, bytes) {
  const base = new URL("../", import.meta.url).href;
  const key = `${base}${file}?${digest}`;
  const cache = await globalThis.caches?.open(`${base} models`);
  if (!bytes) await cache?.delete(key);
  else if (cache && !(await cache.match(key))) await cache.put(key, new Response(bytes));
}

/** @param {Record<string, Tensor>} tensors @param {string} prefix */
function layersOf(tensors, prefix) {
  const start = `${prefix}layers.`;
  const own = Object.entries(tensors).filter(([name]) => name.startsWith(start));
  return Object.fromEntries(own.map(([name, tensor]) => [name.slice(start.length), tensor]));
}

const TURNS = 4;
const PASSES = 3; // of a turn: the first wakes a thread, as in a run

/** How many threads make a pass sooner, measured now: beside busy programs they wait for each other. @param {Llama} model */
function bestThreadCount(model) {
  const { compiled } = model;
  if (compiled.maxThreads === 1) return 1;
  const mark = compiled.memory.mark();
  const sequence = model.sequence(PANEL, 1);
  const times = [1, 2].map(() => /** @type {number[]} */ ([]));
  for (let i = 0; i < 2 * TURNS; i++) {
    compiled.threads = 1 + (i % 2);
    const start = performance.now();
    for (let j = 0; j < PASSES; j++) sequence.append([j]);
    times[i % 2].push(performance.now() - start);
  }
  compiled.memory.release(mark);
  return median(times[1]) < median(times[0]) ? 2 : 1;
}

const LANES = 4; // outputs whose blocks lie together (specviz/engine/compiled/blocks.py)

/** The rows `ids` of a matrix in blocks of 8 bits, as one of its own. @param {Memory} memory @param {Tensor} packed
 * @param {number[]} ids */
function rowsOfBlocks(memory, packed, ids) {
  const [, columns, wide] = packed.shape;
  const rows = memory.allocate("int8", paddedLength(ids.length) / PANEL, columns, wide);
  const both = [packed.data, rows.data];
  const scales = both.map(({ buffer, byteOffset, length }) => new Int16Array(buffer, byteOffset, length / 2));
  const words = both.map(({ buffer, byteOffset, length }) => new Int32Array(buffer, byteOffset, length / 4));
  const blocks = columns / 32;
  const size = wide * LANES; // bytes of a block of all lanes
  const start = (/** @type {number} */ n) => Math.floor(n / LANES) * blocks * size;
  ids.forEach((from, to) => {
    for (let block = 0; block < blocks; block++) {
      const [a, b] = [start(from) + block * size, start(to) + block * size];
      scales[1][b / 2 + (to % LANES)] = scales[0][a / 2 + (from % LANES)];
      for (let word = 2; word < size / 4; word += LANES)
        words[1][b / 4 + word + (to % LANES)] = words[0][a / 4 + word + (from % LANES)];
    }
  });
  return rows;
}

/** As Python names it. @param {AssistantIndex["target"]["shape"]} shape @returns {Shape} */
const shapeOf = ({ kv_heads: kvHeads, ...shape }) => ({ ...shape, kvHeads });
