// A Llama-shaped model from a config and its weights (specviz/engine/models/llama.py), and one text under it.

import { neighbours, pack, panels, rows } from "./packing.js";
import { Sequence } from "./sequence.js";
import { Stack } from "./stack.js";
import { ModelError, numbers } from "./weights.js";

/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Dimensions, Head, ModelInfo } from "./types.js" */
/** @import { Weights } from "./weights.js" */

/** @param {any} config of transformers @param {string} name @returns {Dimensions} */
export function dimensions(config, name) {
  const rope = config.rope_parameters ?? {};
  const plain =
    (rope.rope_type ?? "default") === "default" &&
    config.hidden_act === "silu" &&
    !config.mlp_bias &&
    !config.attention_bias;
  if (config.model_type !== "llama" || !plain)
    throw new ModelError(`${name}: only Llama models of the plain shape run here.`);
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
 * @param {Compiled} compiled @param {any} config @param {Dimensions} dimensions */
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
  vector.data.set(numbers(weights.take(key, width)));
  return vector;
}

/** A packed matrix. @param {Compiled} compiled @param {Weights} weights @param {string} key
 * @param {number} outputs @param {number} columns */
export function matrix(compiled, weights, key, outputs, columns) {
  const stored = weights.take(key, outputs, columns);
  return pack(rows(stored, `${weights.name}: ${key}`), panels(compiled.memory, outputs, columns));
}

/** Layers side by side, as the compiled pass takes them. `names` begin each; `first` names the norm of the
 * attention's input.
 * @param {Compiled} compiled @param {Weights} weights @param {string[]} names @param {Dimensions} dimensions
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
    pack(
      [...neighbours(q, size), ...neighbours(k, size), ...rowsOf("self_attn.v_proj", keys, columns)],
      layers.qkv.part(i),
    );
    pack(rowsOf("self_attn.o_proj", width, queries), layers.out.part(i));
    pack([...rowsOf("mlp.gate_proj", inner, width), ...rowsOf("mlp.up_proj", inner, width)], layers.gate_up.part(i));
    pack(rowsOf("mlp.down_proj", width, inner), layers.down.part(i));
    layers.attention_norm.row(i).set(numbers(weights.take(`${prefix}${first}.weight`, width)));
    layers.mlp_norm.row(i).set(numbers(weights.take(`${prefix}post_attention_layernorm.weight`, width)));
  });
  return layers;
}

export class Llama {
  /** @param {Compiled} compiled @param {any} config @param {Weights} weights @param {string} name */
  constructor(compiled, config, weights, name) {
    this.compiled = compiled;
    this.name = name;
    this.context = config.max_position_embeddings;
    this.vocabulary = config.vocab_size;
    this.dimensions = dimensions(config, name);
    const { width } = this.dimensions;
    this.table = matrix(compiled, weights, "model.embed_tokens.weight", this.vocabulary, width);
    const names = Array.from({ length: config.num_hidden_layers }, (_, i) => `model.layers.${i}.`);
    this.layers = packLayers(compiled, weights, names, this.dimensions);
    const tied = config.tie_word_embeddings;
    const exit = tied ? this.table : matrix(compiled, weights, "lm_head.weight", this.vocabulary, width);
    /** @type {Head} */
    this.head = { norm: norm(compiled, weights, "model.norm.weight", width), matrix: exit, rows: this.vocabulary };
    this.rope = rotation(compiled, config, this.dimensions);
    weights.finish();
    /** @type {ModelInfo} */
    this.info = {
      name,
      family: config.model_type,
      layers: config.num_hidden_layers,
      width,
      vocabulary: this.vocabulary,
      parameters: weights.parameters,
      dtype: "bfloat16",
      forward: "own",
      why: "",
      context: this.context,
      weights: [],
    };
  }

  /** Layers over an empty cache. @param {Record<string, Tensor>} layers @param {number} capacity */
  stack(layers, capacity, dimensions = this.dimensions, rope = this.rope, taps = 0) {
    const stack = new Stack(this.compiled, { layers, dimensions, rope, vocabulary: this.vocabulary }, capacity, taps);
    stack.table = this.table;
    return stack;
  }

  /** @param {number} capacity */
  sequence(capacity) {
    return new Sequence(this, Math.min(capacity, this.context));
  }
}
