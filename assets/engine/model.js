// A Llama-shaped model from a config and its weights (specviz/engine/models/llama.py), one text under it, and a pass over
// some rows as one compiled call over its KV cache (specviz/engine/backends/compiled.py).

import { interleave, ModelError, PANEL, pack, paddedLength, panels, rows, toFloat32 } from "./weights.js";

/** @import { Compiled, Memory, Tensor } from "./compiled.js" */
/** @import { Shape, Head, ModelInfo, Pass } from "./types.js" */
/** @import { Weights } from "./weights.js" */

/** @typedef {{ keys: Tensor, values: Tensor }} KVCache */

/** @param {Memory} memory @param {StackWeights} weights @param {number} capacity positions @returns {KVCache} */
function kvCache(memory, { layers, shape: { kvHeads, size } }, capacity) {
  const count = layers.qkv.shape[0];
  return {
    keys: memory.allocate("float32", count, 1, kvHeads, paddedLength(capacity) / PANEL, size, PANEL),
    values: memory.allocate("float32", count, 1, kvHeads, paddedLength(size) / PANEL, capacity, PANEL),
  };
}

/** Room for what a pass over `rows` works out on its way. @param {Compiled} compiled @param {StackWeights} weights
 * @param {number} rows @param {number} capacity */
function workspace({ memory, maxThreads: threads }, { layers: w, shape }, rows, capacity) {
  const { width, heads, kvHeads, size, inner } = shape;
  const f32 = (/** @type {number[]} */ ...shape) => memory.allocate("float32", ...shape);
  const group = rows * (heads / kvHeads);
  return {
    x: f32(rows, width),
    inputs: f32(threads, rows, Math.max(width, w.qkv.shape[2], w.out.shape[2], inner)),
    qkv: f32(threads * rows, w.qkv.shape[1] * PANEL),
    queries: f32(threads, group, size),
    scores: f32(threads, group, paddedLength(capacity)),
    head_outputs: f32(threads, group, paddedLength(size)),
    attention: f32(rows, heads * size),
    products: f32(threads * rows, w.out.shape[1] * PANEL),
    gate_up: f32(threads * rows, w.gate_up.shape[1] * PANEL),
    mlp: f32(rows, inner),
  };
}

/**
 * @typedef {{ layers: Record<string, Tensor>, shape: Shape, rope: Tensor }} StackWeights
 */

/** Rows of one call: more than a block has. A longer text goes in parts: a row's numbers are the same. */
export const ROWS = 72;
/** Logits of one call: those of a block of 32 tokens, and of the one before it. */
const MOST_OUTPUTS = 33;

export class Stack {
  /** @param {Compiled} compiled @param {StackWeights & { vocabulary: number }} weights
   * @param {number} capacity positions @param {number} outputs rows whose logits one call gives
   * @param {number} taps layers looked into */
  constructor(compiled, weights, capacity, outputs, taps) {
    const { memory } = compiled;
    const { layers: w, shape, rope, vocabulary } = weights;
    const { width, heads, kvHeads, eps } = shape;
    this.capacity = capacity;
    this.length = 0;
    this.width = width;
    this.layers = w.qkv.shape[0];
    this.vocabulary = vocabulary;
    this.outputRows = [0, 0];
    const f32 = (/** @type {number[]} */ ...shape) => memory.allocate("float32", ...shape);
    const s = workspace(compiled, weights, ROWS, capacity);
    this.x = s.x;
    this.feed = memory.allocate("int64", ROWS);
    this.features = f32(ROWS, width);
    this.sideInput = f32(ROWS * width);
    this.y = f32(outputs * paddedLength(vocabulary));
    this.outputs = outputs;
    this.taps = memory.allocate("int64", taps);
    this.tapRows = f32(taps * ROWS * width);
    this.ids = memory.allocate("int64", 32);
    this.u = memory.allocate("float64", 32);
    this.noQ = f32(0, vocabulary);
    const kv_cache = kvCache(memory, weights, capacity);
    const dims = { 0: heads, 1: kvHeads, 2: 1 };
    this.compiled = compiled;
    const pass = w.qkv.kind === "int8" ? "forward_pass_q8" : "forward_pass";
    this.call = compiled.prepare(pass).set({ w, s, kv_cache, rotation: rope, dims, eps, state: compiled.state });
  }

  /** @param {number} length */
  rollback(length) {
    if (!(length >= 0 && length <= this.length)) throw new Error(`cannot roll back to ${length} of ${this.length} positions`);
    this.length = length;
  }

  /** A pass over at most ROWS rows, and with `draws` those of a block after it. The cache grows by all that is fed.
   * @param {Pass} pass */
  runPass({ feed, features, entry, head, keep = 0, until = this.layers, taps = [], draws }) {
    const n = feed.length;
    const cacheOnly = head ? n - keep : 0; // past the last layer's keys and values: rows whose logits nobody asks for
    const laterPasses = draws ? draws.k - 1 : 0; // after the first, of a token each
    const newPositions = n + laterPasses;
    if (n < 1 || n > ROWS) throw new Error(`a pass is over 1 to ${ROWS} rows, not ${n}`);
    if (keep > this.outputs) throw new Error(`a pass gives the logits of at most ${this.outputs} rows, not ${keep}`);
    if (this.length + newPositions > this.capacity)
      throw new Error(`${this.length} cached positions and ${newPositions} more do not fit in ${this.capacity}`);
    this.feed.data.set(feed.map(BigInt));
    if (features) this.features.data.set(features);
    const table = this.table;
    const ids = this.ids.first(draws?.k ?? 0);
    if (draws?.u) this.u.data.set(draws.u);
    this.taps.data.set(taps.map(BigInt));
    this.call.set({
      team: this.compiled.threads,
      feed: this.feed.first(n),
      features: this.features.first(features ? n : 0),
      entry: { table, token_norm: entry?.tokenNorm },
      side_input: this.sideInput.reshape(n, entry ? this.width : 0),
      start: this.length,
      until,
      cache_only: cacheOnly,
      taps: this.taps.first(taps.length),
      tap_rows: this.tapRows.reshape(taps.length, n, this.width),
      exit: { norm: head?.norm, matrix: head?.matrix },
      y: this.y.reshape(keep, head ? head.matrix.shape[0] * PANEL : 0),
      draws: {
        vocabulary: head?.columns ? head.rows : (draws?.vocabulary ?? 0),
        columns: head?.columns,
        temperature: draws?.temperature ?? 1,
        argmax: draws?.argmax ?? true,
        u: this.u.first(draws?.u ? draws.k : 0),
        q: draws?.u ? draws.q.first(draws.k) : this.noQ,
        ids,
      },
    });
    this.call.run();
    this.length += newPositions;
    this.outputRows = laterPasses ? [0, 1] : [cacheOnly, n];
  }

  /** @type {Tensor | undefined} the packed embedding that ids are looked up in */
  table;

  /** What left the last layer in the latest pass, a copy [n, width]: of the rows that logits were asked of, or of all
   * where none were. */
  get lastHidden() {
    const [first, end] = this.outputRows;
    return new Float32Array(this.x.data.subarray(first * this.width, end * this.width));
  }

  /** The ids that the latest block drew. @param {number} k @returns {number[]} */
  draftIds(k) {
    return Array.from(this.ids.data.subarray(0, k), Number);
  }

  /** What went into the layers `taps` in the latest pass over n rows, copies [n, width]. @param {number[]} taps
   * @param {number} n @returns {Float32Array[]} */
  tapInputs(taps, n) {
    const all = this.tapRows.data;
    const rows = n * this.width;
    return taps.map((_, i) => new Float32Array(all.subarray(i * rows, (i + 1) * rows)));
  }

  /** The logits [keep, V] of the latest pass: its first rows, which lie as far apart as whole panels, are put side by
   * side where they are. Of a head with a vocabulary of its own `keep` is 1. @param {Head} head @param {number} keep */
  logits({ matrix, rows, columns }, keep) {
    const all = this.y.data;
    const paddedWidth = matrix.shape[0] * PANEL;
    if (columns) scatterColumns(all.subarray(0, this.vocabulary), columns.data);
    else if (paddedWidth !== rows)
      for (let i = 1; i < keep; i++) all.copyWithin(i * rows, i * paddedWidth, i * paddedWidth + rows);
    return this.y.reshape(keep, columns ? this.vocabulary : rows);
  }
}

/** What a head's own vocabulary lacks is impossible. @param {Float32Array} row [V], which begins with the head's logits
 * @param {BigInt64Array} columns */
function scatterColumns(row, columns) {
  const own = row.slice(0, columns.length);
  row.fill(-Infinity);
  for (const [r, logit] of own.entries()) row[Number(columns[r])] = logit;
}

/** One text's cache. `taps`: layers whose input is kept for whoever drafts from features; `tapInputs`: theirs of the
 * latest append. */
export class Sequence {
  /** @param {Llama} model @param {number} capacity @param {number} outputs */
  constructor(model, capacity, outputs) {
    this.model = model;
    this.stack = model.stack(model, capacity, outputs, 3);
    /** @type {number[]} */
    this.taps = [];
    /** @type {Float32Array[]} */
    this.tapInputs = [];
  }

  get length() {
    return this.stack.length;
  }

  /** @param {number} length */
  rollback(length) {
    this.stack.rollback(length);
  }

  /** The logits [keep, V] after the last `keep` ids; they are there until the next pass.
   * @param {number[]} ids */
  append(ids, keep = 1, until = this.stack.layers) {
    const { stack, taps } = this;
    const { head } = this.model;
    const layers = until === stack.layers ? taps : [];
    const parts = layers.map(() => /** @type {Float32Array[]} */ ([]));
    for (let i = 0; i < ids.length; i += ROWS) {
      const feed = ids.slice(i, i + ROWS);
      const last = i + ROWS >= ids.length;
      stack.runPass({ feed, head, keep: last ? keep : 0, until, taps: layers });
      const inputs = stack.tapInputs(layers, feed.length);
      for (let j = 0; j < layers.length; j++) parts[j].push(inputs[j]);
    }
    if (layers.length || until === stack.layers) this.tapInputs = parts.map(concatenate);
    return stack.logits(head, keep);
  }
}

/** @param {Float32Array[]} parts */
export function concatenate(parts) {
  if (parts.length === 1) return parts[0];
  const all = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/** @param {any} config of transformers @param {string} name @returns {Shape} */
export function shapeOf(config, name) {
  const rope = config.rope_parameters ?? {};
  const plain =
    (rope.rope_type ?? "default") === "default" && config.hidden_act === "silu" && !config.mlp_bias && !config.attention_bias;
  if (config.model_type !== "llama" || !plain) throw new ModelError(`${name}: only Llama models of the plain shape run here.`);
  const heads = config.num_attention_heads;
  return {
    width: config.hidden_size,
    heads,
    kvHeads: config.num_key_value_heads ?? heads,
    size: config.head_dim ?? config.hidden_size / heads,
    inner: config.intermediate_size,
    eps: config.rms_norm_eps,
  };
}

/** Cosines and sines [context, 2, size/2] of every position, in single precision as PyTorch makes them.
 * @param {Compiled} compiled @param {any} config @param {Shape} shape */
export function rotation(compiled, config, { size }) {
  const context = config.max_position_embeddings;
  const base = config.rope_parameters?.rope_theta ?? config.rope_theta;
  const cache = compiled.memory.allocate("float32", context, 2, size / 2);
  const all = cache.data;
  for (let i = 0; i < size / 2; i++) {
    const frequency = Math.fround(base ** Math.fround((-2 * i) / size));
    for (let at = 0; at < context; at++) {
      const angle = Math.fround(at * frequency);
      all[at * size + i] = Math.cos(angle);
      all[at * size + size / 2 + i] = Math.sin(angle);
    }
  }
  return cache;
}

/** A vector of weights. @param {Compiled} compiled @param {Weights} weights @param {string} key
 * @param {number} width */
export function norm(compiled, weights, key, width) {
  const vector = compiled.memory.allocate("float32", width);
  vector.data.set(toFloat32(weights.take(key, width)));
  return vector;
}

/** A packed matrix. @param {Compiled} compiled @param {Weights} weights @param {string} key
 * @param {number} outputs @param {number} columns */
export function linear(compiled, weights, key, outputs, columns) {
  const stored = weights.take(key, outputs, columns);
  return pack(rows(stored, `${weights.name}: ${key}`), panels(compiled.memory, outputs, columns));
}

/** Layers side by side, as the compiled pass takes them. `names` begin each; `first` names the norm of the
 * attention's input.
 * @param {Compiled} compiled @param {Weights} weights @param {string[]} names @param {Shape} shape
 * @param {string} first @param {number} columns @returns {Record<string, Tensor>} */
export function packLayers(
  compiled,
  weights,
  names,
  { width, heads, kvHeads, size, inner },
  first = "input_layernorm",
  columns = width,
) {
  const { memory } = compiled;
  const count = names.length;
  const [queries, keys] = [heads * size, kvHeads * size];
  const layers = {
    attention_norm: memory.allocate("float32", count, width),
    qkv: panels(memory, queries + 2 * keys, columns, count),
    bias: memory.allocate("float32", count, 0),
    qk_norm: memory.allocate("float32", count, 0, 0),
    out: panels(memory, width, queries, count),
    mlp_norm: memory.allocate("float32", count, width),
    gate_up: panels(memory, 2 * inner, width, count),
    down: panels(memory, width, inner, count),
  };
  names.forEach((prefix, i) => {
    const rowsOf = (/** @type {string} */ key, /** @type {number} */ n, /** @type {number} */ k) =>
      rows(weights.take(`${prefix}${key}.weight`, n, k), `${weights.name}: ${prefix}${key}`);
    const [q, k] = ["q", "k"].map((part, j) => rowsOf(`self_attn.${part}_proj`, j ? keys : queries, columns));
    pack([...interleave(q, size), ...interleave(k, size), ...rowsOf("self_attn.v_proj", keys, columns)], layers.qkv.part(i));
    pack(rowsOf("self_attn.o_proj", width, queries), layers.out.part(i));
    pack([...rowsOf("mlp.gate_proj", inner, width), ...rowsOf("mlp.up_proj", inner, width)], layers.gate_up.part(i));
    pack(rowsOf("mlp.down_proj", width, inner), layers.down.part(i));
    layers.attention_norm.row(i).set(toFloat32(weights.take(`${prefix}${first}.weight`, width)));
    layers.mlp_norm.row(i).set(toFloat32(weights.take(`${prefix}post_attention_layernorm.weight`, width)));
  });
  return layers;
}

export class Llama {
  /** @param {Compiled} compiled @param {string} name
   * @param {StackWeights & { table: Tensor, head: Head, context: number, info: ModelInfo }} parts */
  constructor(compiled, name, { layers, shape, rope, table, head, context, info }) {
    this.compiled = compiled;
    this.name = name;
    this.context = context;
    this.vocabulary = info.vocabulary;
    this.shape = shape;
    this.layers = layers;
    this.table = table;
    this.head = head;
    this.rope = rope;
    this.info = info;
  }

  /** @param {Compiled} compiled @param {any} config @param {Weights} weights @param {string} name */
  static ofCheckpoint(compiled, config, weights, name) {
    const { max_position_embeddings: context, vocab_size: vocabulary, num_hidden_layers: count } = config;
    const shape = shapeOf(config, name);
    const { width } = shape;
    const table = linear(compiled, weights, "model.embed_tokens.weight", vocabulary, width);
    const names = Array.from({ length: count }, (_, i) => `model.layers.${i}.`);
    const layers = packLayers(compiled, weights, names, shape);
    const tied = config.tie_word_embeddings;
    const matrix = tied ? table : linear(compiled, weights, "lm_head.weight", vocabulary, width);
    const head = { norm: norm(compiled, weights, "model.norm.weight", width), matrix, rows: vocabulary };
    const rope = rotation(compiled, config, shape);
    weights.finish();
    /** @type {ModelInfo} */
    const info = {
      name,
      family: config.model_type,
      layers: count,
      width,
      vocabulary,
      parameters: weights.parameters,
      dtype: "bfloat16",
      forward: "own",
      why: "",
      context,
      weights: [],
    };
    return new Llama(compiled, name, { layers, shape, rope, table, head, context, info });
  }

  /** Layers over an empty cache, this model's own or a head's. @param {StackWeights} weights @param {number} capacity */
  stack({ layers, shape, rope }, capacity, outputs = 1, taps = 0) {
    const stack = new Stack(this.compiled, { layers, shape, rope, vocabulary: this.vocabulary }, capacity, outputs, taps);
    stack.table = this.table;
    return stack;
  }

  /** @param {number} capacity positions @param {number} outputs rows of logits that a pass is asked for */
  sequence(capacity, outputs = MOST_OUTPUTS) {
    return new Sequence(this, Math.min(capacity, this.context), outputs);
  }
}
