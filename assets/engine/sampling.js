// Logits → the distribution that tokens are really drawn from → a token (specviz/engine/sampling.py).

/** @import { Compiled } from "./compiled.js" */
/** @import { Tensor } from "./memory.js" */
/** @import { Config } from "./types.js" */

/** Temperature, then top-k, then top-p, for target and draft alike. Temperature 0 draws nothing. */
export class Sampler {
  /** @param {Compiled} compiled @param {Config} config */
  constructor(compiled, config) {
    this.temperature = config.temperature;
    this.topK = config.top_k;
    this.topP = config.top_p;
    this.isUnfiltered = this.temperature === 0 || (this.topK === 0 && this.topP === 1);
    this.softmax = compiled.prepare("softmax_rows");
  }

  /** Fills p [n, V] with the distributions of logits [n, ·]. @param {Tensor} logits @param {Tensor} p */
  fillRows(logits, p) {
    if (this.isUnfiltered) {
      this.softmax.set({ logits, temperature: this.temperature, p }).run();
      return p;
    }
    for (let i = 0; i < p.shape[0]; i++) {
      const row = p.row(i);
      row.fill(-Infinity);
      row.set(logits.row(i).subarray(0, row.length));
      const temperature = Math.fround(this.temperature);
      for (let j = 0; j < row.length; j++) row[j] /= temperature;
      if (this.topK) keepLargest(row, this.topK);
      if (this.topP < 1) keepMass(row, this.topP);
    }
    this.softmax.set({ logits: p, temperature: 1, p }).run();
    return p;
  }
}

/** softmax(x) in single precision; the largest of x is finite. @param {Float32Array} x */
export function softmax(x) {
  const y = new Float32Array(x.length);
  const top = x.reduce((a, b) => Math.max(a, b), -Infinity);
  let mass = 0;
  for (let j = 0; j < x.length; j++) {
    y[j] = Math.exp(x[j] - top);
    mass += y[j];
  }
  for (let j = 0; j < y.length; j++) y[j] /= mass;
  return y;
}

/** Scores below the k-th largest become impossible. @param {Float32Array} scores @param {number} k */
function keepLargest(scores, k) {
  if (k >= scores.length) return;
  const bound = scores.slice().sort()[scores.length - k];
  for (let j = 0; j < scores.length; j++) if (scores[j] < bound) scores[j] = -Infinity;
}

/** The least probable become impossible, as long as their sum is at most 1 − top-p; the largest stays.
 * @param {Float32Array} scores @param {number} topP */
function keepMass(scores, topP) {
  const sorted = scores.slice().sort();
  const p = softmax(sorted);
  const bound = Math.fround(1 - topP);
  let mass = 0;
  let removed = 0;
  while (removed < sorted.length - 1 && Math.fround(mass + p[removed]) <= bound) mass += p[removed++];
  const lowest = sorted[removed];
  let equal = 0; // of those that tie with the lowest to stay, the first in the vocabulary go first
  while (equal < removed && sorted[removed - 1 - equal] === lowest) equal++;
  for (let j = 0; j < scores.length; j++)
    if (scores[j] < lowest || (scores[j] === lowest && equal-- > 0)) scores[j] = -Infinity;
}

/** The first id whose cumulative probability exceeds u of all of it. One with p = 0 is never it.
 * @param {Float32Array} p @param {number} u */
export function draw(p, u) {
  let mass = 0;
  for (let j = 0; j < p.length; j++) mass += p[j];
  const bound = u * mass;
  let sum = 0;
  for (let j = 0; j < p.length; j++) {
    sum += p[j];
    if (sum > bound) return j;
  }
  return p.length - 1;
}

/** The ids of the n largest, in their order. @param {Float32Array} values @param {number} n */
export function largestIds(values, n) {
  /** @type {number[]} */
  const ids = [];
  for (let j = 0; j < values.length; j++) {
    if (ids.length === n && !(values[j] > values[ids[n - 1]])) continue;
    let at = Math.min(ids.length, n - 1);
    while (at > 0 && values[j] > values[ids[at - 1]]) {
      ids[at] = ids[at - 1];
      at--;
    }
    ids[at] = j;
  }
  return ids;
}

/** The first of the largest. @param {Float32Array} logits */
export function argmax(logits) {
  let best = 0;
  for (let j = 1; j < logits.length; j++) if (logits[j] > logits[best]) best = j;
  return best;
}
