// A large server by arithmetic (serving.js): what passes over many texts take at least on eight H100.

import { speedupFor } from "../../shared/formula.js";
import { passMs } from "../../shared/serving.js";

/** @import { Size } from "../../shared/hardware.js" */
/** @import { Where, Work } from "../../shared/serving.js" */

/** @typedef {{ read: number, compute: number, ms: number }} Pass milliseconds; the longer of the two is the pass */

const HEADS = { kv_heads: 8, head_size: 128, active: null, experts: null, chosen: null };

/** @type {Size} */
export const TARGET = { key: "target", name: "Llama 3.1 70B", parameters: 70.6, layers: 80, heads: 64, ...HEADS };
/** @type {Size} */
export const DRAFT = { key: "draft", name: "Llama 3.1 8B", parameters: 8.03, layers: 32, heads: 32, ...HEADS };
const CARD = { key: "h100", name: "NVIDIA H100 SXM", bandwidth: 3350, peak: 989, memory: 80, source: "" };
/** @type {Where} no overhead, no communication between the devices */
export const WHERE = { card: CARD, devices: 8, reach: 1, launch: 0 };

export const LONGEST = 8; // the largest K looked at

/** A pass over n tokens of each text. @param {Size} model @param {Work} load @param {number} n @returns {Pass} */
export function passOver(model, load, n) {
  const [read, compute] = passMs(model, 2, WHERE, load, n);
  return { read, compute, ms: Math.max(read, compute) };
}

/** c of this load, and v of a check of K drafts. @param {Work} load @param {number} K */
export function costs(load, K) {
  const one = passOver(TARGET, load, 1).ms;
  return { c: passOver(DRAFT, load, 1).ms / one, v: passOver(TARGET, load, K + 1).ms / one };
}

/** The K ≥ 1 of the largest speedup, also where none is above 1. @param {Work} load @param {number} alpha */
export function bestUnder(load, alpha) {
  const all = Array.from({ length: LONGEST }, (_, i) => {
    const K = i + 1;
    const { c, v } = costs(load, K);
    return { K, c, v, speedup: speedupFor(alpha, K, c, v) };
  });
  return all.reduce((best, one) => (one.speedup > best.speedup ? one : best));
}
