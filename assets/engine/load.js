// A name → a target with a drafter, from files as they lie in assets/models (specviz/engine/draft/choose.py), which come
// from where the page came from.

import { sha256 } from "../trace/events.js";
import { Compiled } from "./compiled.js";
import { Eagle, earlyExit, nGram, random, SmallModel } from "./draft.js";
import { Llama } from "./model.js";
import { Text } from "./text.js";
import { ModelError, readTensors, Weights } from "./weights.js";

/** @import { Drafter, DrafterFactory, Setup, Arguments } from "./types.js" */

const MAX_FILE_BYTES = 64 * 2 ** 20; // of one file: the largest bundled one has 8 MB
const PIECE_BYTES = 2 ** 18;
const TRIES = 2; // a connection that breaks off once, as on a train, is no reason to give up

/** What breaks off may come whole the next time; what a server refuses does not. */
class ConnectionError extends ModelError {}

/** Gives a file, or an error in a sentence. `onProgress` hears how many bytes came, and of how many.
 * @param {URL} base @param {(path: string, bytes: number, of: number) => void} onProgress @returns {Fetch} */
export function makeFetch(base, onProgress) {
  return async (path, into) => {
    for (let attempt = 1; ; attempt++) {
      try {
        return await fetchWhole(path, base, onProgress, into);
      } catch (error) {
        if (!(error instanceof ConnectionError) || attempt === TRIES) throw error;
      }
    }
  };
}

/** @param {string} path @param {URL} base @param {(path: string, bytes: number, of: number) => void} onProgress
 * @param {Uint8Array<ArrayBuffer>} [into] */
async function fetchWhole(path, base, onProgress, into) {
  const response = await fetch(new URL(path, base)).catch(() => {
    throw new ConnectionError(`${path} could not be fetched: there is no connection.`);
  });
  if (!response.ok || !response.body)
    throw new ModelError(`${path} could not be fetched: the server answered ${response.status}.`);
  const of = Number(response.headers.get("content-length"));
  let file = into ?? new Uint8Array(Math.min(of, MAX_FILE_BYTES));
  let bytes = 0;
  const reader = pieceReader(response.body);
  for (;;) {
    const { done, value } = await reader.read().catch(() => {
      throw new ConnectionError(`${path} came in part only: the connection ended.`);
    });
    if (done) break;
    const end = bytes + value.length;
    if (end > MAX_FILE_BYTES) {
      await reader.cancel();
      throw new ModelError(`${path} is larger than ${MAX_FILE_BYTES / 2 ** 20} MB.`);
    }
    if (end > file.length) {
      const longer = new Uint8Array(2 * end);
      longer.set(file.subarray(0, bytes));
      file = longer;
    }
    file.set(value, bytes);
    bytes = end;
    onProgress(path, bytes, Math.max(of, bytes));
  }
  return file.subarray(0, bytes);
}

/** What reads a body piece by piece: into one buffer where the browser can, since pieces with buffers of their own are
 * garbage as large as the file. @param {ReadableStream<Uint8Array<ArrayBuffer>>} body
 * @returns {Pick<ReadableStreamDefaultReader<Uint8Array<ArrayBuffer>>, "read" | "cancel">} */
function pieceReader(body) {
  let reader;
  try {
    reader = body.getReader({ mode: "byob" });
  } catch {
    return body.getReader(); // Safari before 26
  }
  let buffer = new ArrayBuffer(PIECE_BYTES);
  const read = async () => {
    const { done, value } = await reader.read(new Uint8Array(buffer));
    if (value) buffer = value.buffer;
    return done ? { done, value: undefined } : { done, value };
  };
  return { read, cancel: () => reader.cancel() };
}

/** @typedef {(path: string, into?: Uint8Array<ArrayBuffer>) => Promise<Uint8Array<ArrayBuffer>>} Fetch gives a file below
 * assets/, which lies in `into` if it has room there */

/** What drafts without weights. @type {Record<string, DrafterFactory>} */
const WITHOUT_WEIGHTS = { lookup: nGram, "early-exit": earlyExit, random };

/** The models of one module, loaded when they are first asked for. */
export class ModelCache {
  /** @param {Compiled} compiled @param {Fetch} fetch */
  constructor(compiled, fetch) {
    this.compiled = compiled;
    this.fetch = fetch;
    /** @type {Map<string, Promise<unknown>>} what a failure removes, so that it can be tried again */
    this.promises = new Map();
  }

  /** @param {Fetch} fetch @param {string} file of assets/engine: which module
   * @param {string} [shapes] which arguments of specviz.json its functions have */
  static async open(fetch, file, shapes = "arguments") {
    const about = await json(fetch, "engine/specviz.json");
    const byName = /** @type {Record<string, Arguments>} */ (about[shapes]);
    let compiled;
    try {
      compiled = await Compiled.load(await fetch(`engine/${file}`), byName, !file.includes("-plain"));
    } catch (error) {
      if (error instanceof WebAssembly.CompileError || error instanceof WebAssembly.LinkError)
        throw new ModelError(`${file} is no module that this browser can run.`);
      throw error;
    }
    if (Object.keys(byName).some((name) => typeof compiled.functions[name] !== "function"))
      throw new ModelError(`${file} does not belong to specviz.json: one of them is older.`);
    return new this(compiled, fetch);
  }

  /** @param {string} target @param {string | null} draft as `--draft` names it: a model, or a kind
   * @returns {Promise<Setup>} */
  async setUp(target, draft) {
    const model = await this.loadModel(target);
    return {
      target: model,
      drafter: draft ? await this.drafterFor(model, draft) : null,
      text: await this.text(target),
    };
  }

  /** @param {string} target @returns {Promise<Text>} */
  text(target) {
    return this._once(`${target} text`, () => this._loadText(target));
  }

  /** @param {string} name @returns {Promise<Llama>} */
  loadModel(name) {
    return this._once(name, async () => {
      const config = await json(this.fetch, `models/${name}/config.json`);
      const { weights, files } = await this._loadWeights(name);
      return this._allOrNothing(() => {
        const model = Llama.ofCheckpoint(this.compiled, config, weights, name);
        model.info.weights = files;
        return model;
      });
    });
  }

  /** @param {Llama} target @param {string} draft @returns {Promise<Drafter>} */
  async drafterFor(target, draft) {
    const [kind, which = ""] = draft.split(":");
    if (kind === "oracle") return new SmallModel(target, "oracle");
    if (Object.hasOwn(WITHOUT_WEIGHTS, kind)) return WITHOUT_WEIGHTS[kind](target, which);
    if (kind === "eagle") return this._once(`${target.name}-eagle`, () => this._loadEagle(target));
    const model = await this.loadModel(draft);
    if (model.vocabulary !== target.vocabulary)
      throw new ModelError(`${draft} cannot draft for ${target.name}: its tokens are others.`);
    return new SmallModel(model);
  }

  /** @param {Llama} target @returns {Promise<Drafter>} */
  async _loadEagle(target) {
    const name = `${target.name}-eagle`;
    const { weights, files } = await this._loadWeights(name);
    const config = await json(this.fetch, `models/${name}/config.json`);
    return this._allOrNothing(() => {
      const drafter = Eagle.ofCheckpoint(target, weights, name, config);
      drafter.info = { ...drafter.info, weights: files };
      return drafter;
    });
  }

  /** @param {string} name */
  async _loadWeights(name) {
    let names = ["model.safetensors"];
    if (name === "fable") {
      const { weight_map: map } = await json(this.fetch, `models/${name}/model.safetensors.index.json`);
      names = [...new Set(/** @type {string[]} */ (Object.values(map)))].sort();
    }
    const tensors = new Map();
    const files = [];
    for (const file of names) {
      const bytes = await this.fetch(`models/${name}/${file}`);
      files.push({ name: file, sha256: globalThis.crypto?.subtle ? await sha256(bytes) : null });
      for (const [key, tensor] of readTensors(bytes, `${name}/${file}`)) tensors.set(key, tensor);
    }
    return { weights: new Weights(tensors, name), files };
  }

  /** @param {string} name */
  async _loadText(name) {
    const [tokenizer, about, generation] = await Promise.all(
      ["tokenizer.json", "tokenizer_config.json", "generation_config.json"].map((file) =>
        json(this.fetch, `models/${name}/${file}`),
      ),
    );
    return new Text(tokenizer, about, [generation.eos_token_id].flat());
  }

  /** What `make` returns; memory that it took is given back where it fails. @template T
   * @param {() => T} make */
  _allOrNothing(make) {
    const { memory } = this.compiled;
    const mark = memory.mark();
    try {
      return make();
    } catch (error) {
      memory.release(mark);
      throw error;
    }
  }

  /** @template T @param {string} key @param {() => Promise<T>} make @returns {Promise<T>} */
  _once(key, make) {
    const earlier = /** @type {Promise<T> | undefined} */ (this.promises.get(key));
    if (earlier) return earlier;
    const promise = make();
    this.promises.set(key, promise);
    promise.catch(() => this.promises.delete(key));
    return promise;
  }
}

/** @param {Fetch} fetch @param {string} path @returns {Promise<any>} */
export async function json(fetch, path) {
  const bytes = await fetch(path);
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw new ModelError(`${path} is no JSON.`);
  }
}
