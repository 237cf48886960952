// A large server by arithmetic: what passes over B texts take at least, from what they read and what they compute.
// A bound: no overhead, no communication between the devices.

import { speedupFor } from "../../shared/formula.js";

/**
 * @typedef {{ name: string, parameters: number, layers: number, heads: number, kvHeads: number, headSize: number }}
 * Size
 */
/** @typedef {{ texts: number, context: number }} Load how many texts, and the positions of each */
/** @typedef {{ read: number, compute: number, ms: number }} Pass milliseconds; the longer of the two is the pass */

const BYTES = 2; // of a weight and of a number in a cache: bfloat16
const HEAD = { headSize: 128, kvHeads: 8 };

/** @type {Size} */
export const TARGET = { name: "Llama 3.1 70B", parameters: 70.6e9, layers: 80, heads: 64, ...HEAD };
/** @type {Size} */
export const DRAFT = { name: "Llama 3.1 8B", parameters: 8.03e9, layers: 32, heads: 32, ...HEAD };

// Eight H100 SXM: bytes a second, operations a second (bfloat16, dense), bytes
export const DEVICES = 8;
const SPEED = DEVICES * 3.35e12;
const OPERATIONS = DEVICES * 989e12;
const MEMORY = DEVICES * 80e9;

export const LONGEST = 8; // the largest K looked at

/** What a cache takes for one position. @param {Size} model */
export function cacheBytes({ layers, kvHeads, headSize }) {
  return 2 * layers * kvHeads * headSize * BYTES; // keys and values
}

/** A pass over n tokens of each text. @param {Size} model @param {Load} load @param {number} n @returns {Pass} */
export function passOver(model, { texts, context }, n) {
  const { parameters, layers, heads, headSize } = model;
  const bytes = parameters * BYTES + texts * context * cacheBytes(model);
  const each = 2 * parameters + 4 * context * layers * heads * headSize; // products with weights, and with the cache
  const read = (1e3 * bytes) / SPEED;
  const compute = (1e3 * texts * n * each) / OPERATIONS;
  return { read, compute, ms: Math.max(read, compute) };
}

/** c of this load, and v of a check of K drafts. @param {Load} load @param {number} K */
export function costs(load, K) {
  const one = passOver(TARGET, load, 1).ms;
  return { c: passOver(DRAFT, load, 1).ms / one, v: passOver(TARGET, load, K + 1).ms / one };
}

/** The K ≥ 1 of the largest speedup, also where none is above 1. @param {Load} load @param {number} alpha */
export function bestUnder(load, alpha) {
  const all = Array.from({ length: LONGEST }, (_, i) => {
    const K = i + 1;
    const { c, v } = costs(load, K);
    return { K, c, v, speedup: speedupFor(alpha, K, c, v) };
  });
  return all.reduce((best, one) => (one.speedup > best.speedup ? one : best));
}

/** How many texts of this length the memory holds. @param {number} context @param {Size[]} models */
export function room(context, models) {
  const weights = models.reduce((sum, model) => sum + model.parameters * BYTES, 0);
  const text = models.reduce((sum, model) => sum + context * cacheBytes(model), 0);
  return Math.max(0, Math.floor((MEMORY - weights) / text));
}
