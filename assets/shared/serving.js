// What a server's load does to drafting, as specviz/lab/load.py has it: tests/assets/lab/served.json holds both
// together.
// A pass takes the longest of three: reading weights and caches, arithmetic, launching its layers.

import { tokensOf } from "../trace/events.js";

/** @import { Card, Passes, Served, Size } from "./hardware.js" */

export const MOST_K = 15;
const EQUAL = 1e-9; // closer is rounding
const NUMBER_BYTES = 2; // of a weight, and of a number in a cache: 16 bits

/**
 * @typedef {{ card: Card, devices: number, reach: number, launch: number }} Where reach: of the peaks; launch: µs a
 * layer
 */
/** @typedef {{ texts: number, context: number }} Work */

/** Bytes of keys and values of one position. @param {Size} size */
export const cacheBytes = (size) => 2 * size.layers * size.kv_heads * size.head_size * NUMBER_BYTES;

/**
 * GB of a model's weights, and of the KV cache of one text.
 * @param {Size} size @param {number} context
 */
export const memoryOf = (size, context) => ({
  weights: NUMBER_BYTES * size.parameters,
  cache: (context * cacheBytes(size)) / 1e9,
});

/**
 * 10⁹ parameters that a pass reads: of experts those that any of its tokens takes.
 * @param {Size} size @param {number} tokens
 */
export function parametersRead({ parameters, active, experts, chosen }, tokens) {
  if (!active || !experts || !chosen) return parameters;
  const share = chosen / experts;
  return parameters - ((parameters - active) / (1 - share)) * (1 - share) ** tokens;
}

/**
 * ms of reading, of arithmetic and of launching; the longest is the pass.
 * @param {Size} size @param {Where} where @param {Work} work
 * @param {number} n tokens of each text
 */
export function passMs(size, where, { texts, context }, n = 1) {
  const tokens = texts * n;
  const read = parametersRead(size, tokens) * 1e9 * NUMBER_BYTES + texts * context * cacheBytes(size);
  const used = size.active ?? size.parameters;
  const compute = tokens * (2e9 * used + 4 * context * size.layers * size.heads * size.head_size);
  const at = where.devices * where.reach;
  const { bandwidth, peak } = where.card;
  return [
    (1e3 * read) / (bandwidth * 1e9 * at),
    (1e3 * compute) / (peak * 1e12 * at),
    (where.launch * size.layers) / 1e3,
  ];
}

/** @param {Size} target @param {Size} draft @param {Where} where @param {Work} work @returns {Passes} */
export function byFormula(target, draft, where, work) {
  const blocks = Array.from({ length: MOST_K + 1 }, (_, i) => Math.max(...passMs(target, where, work, i + 1)));
  return { target: blocks, draft: Math.max(...passMs(draft, where, work)) };
}

/** @param {Passes} passes @param {number[]} chances @param {number} K @param {number} texts @returns {Served} */
export function servingAt(passes, chances, K, texts) {
  const step = K * passes.draft + passes.target[K];
  const tokens = tokensOf(chances, K);
  const latency = step / tokens;
  const pace = (1e3 * texts) / latency;
  return { K, step, tokens, latency, pace, thrown: 1 - tokens / (K + 1), speedup: passes.target[0] / latency };
}

/** Of every K that there is a time for. @param {Passes} passes @param {number[]} chances @param {number} texts */
export const servingByK = (passes, chances, texts) => passes.target.map((_, K) => servingAt(passes, chances, K, texts));

/** The K of the largest speedup, the least of equals; 0 where drafting does not pay. @param {Served[]} all */
export const bestOf = (all) => all.reduce((best, one) => (one.speedup > best.speedup * (1 + EQUAL) ? one : best));

/**
 * Texts whose α lie evenly from α − apart, or 0, to α + apart, or 1: ms a token of the mean text, of the slowest, and
 * of each where all must keep as many as the one that keeps least.
 * @param {Passes} passes @param {number} alpha @param {number} apart @param {number} K @param {number} texts
 */
export function unequalTexts(passes, alpha, apart, K, texts) {
  const [low, high] = [Math.max(0, alpha - apart), Math.min(1, alpha + apart)];
  const alphas = texts > 1 ? Array.from({ length: texts }, (_, i) => low + ((high - low) * i) / (texts - 1)) : [alpha];
  const step = K * passes.draft + passes.target[K];
  const each = alphas.map((a) => step / tokensOf([a], K));
  let least = 0;
  for (let i = 0; i <= K; i++) least += alphas.reduce((chance, a) => chance * a ** i, 1);
  return { mean: each.reduce((sum, ms) => sum + ms, 0) / texts, slowest: Math.max(...each), aligned: step / least };
}

/**
 * How many texts the memory holds beside both models, or the target alone.
 * @param {Size} target @param {Size | null} draft @param {Where} where @param {number} context
 */
export function textCapacity(target, draft, where, context) {
  const weights = 1e9 * NUMBER_BYTES * (target.parameters + (draft?.parameters ?? 0));
  const free = where.card.memory * 1e9 * where.devices - weights;
  return Math.max(0, Math.floor(free / (context * (cacheBytes(target) + (draft ? cacheBytes(draft) : 0)))));
}
