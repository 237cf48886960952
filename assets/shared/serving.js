// What a server's load does to drafting. A pass takes the longer of two: reading weights and caches, and arithmetic.

import { tokensOf } from "../trace/events.js";

/** @import { Card, Passes, Served, Size, Weights } from "./hardware.js" */

const EQUAL = 1e-9; // closer is rounding
const NUMBER_BYTES = 2; // of a weight, and of a number in a cache: 16 bits

/** @typedef {{ card: Card, devices: number }} Where */
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
 * @param {Weights} weights @param {number} tokens
 */
export function parametersRead({ parameters, active, experts, chosen }, tokens) {
  if (!active || !experts || !chosen) return parameters;
  const share = chosen / experts;
  return parameters - ((parameters - active) / (1 - share)) * (1 - share) ** tokens;
}

/**
 * ms of reading and of arithmetic; the longer is the pass.
 * @param {Size} size @param {Where} where @param {Work} work
 * @param {number} n tokens of each text
 */
export function passMs(size, where, { texts, context }, n = 1) {
  const tokens = texts * n;
  const read = size.parameters * 1e9 * NUMBER_BYTES + texts * context * cacheBytes(size);
  const compute = tokens * (2e9 * size.parameters + 4 * context * size.layers * size.heads * size.head_size);
  const { bandwidth, peak } = where.card;
  return [(1e3 * read) / (bandwidth * 1e9 * where.devices), (1e3 * compute) / (peak * 1e12 * where.devices)];
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
 * How many texts the memory holds beside both models, or the target alone.
 * @param {Size} target @param {Size | null} draft @param {Where} where @param {number} context
 */
export function textCapacity(target, draft, where, context) {
  const weights = 1e9 * NUMBER_BYTES * (target.parameters + (draft?.parameters ?? 0));
  const free = where.card.memory * 1e9 * where.devices - weights;
  return Math.max(0, Math.floor(free / (context * (cacheBytes(target) + (draft ? cacheBytes(draft) : 0)))));
}
