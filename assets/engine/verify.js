// Logits → the distribution that tokens are really drawn from → a token (specviz/engine/sampling.py); and a drafted block
// is decided: greedy by the largest logits, rejection in one compiled call where nothing is filtered, else by the readable
// form of its rule (specviz/engine/verify.py).

import { RULES } from "../rules/all.js";
import { accepts } from "../rules/base.js";

/** @import { Compiled, Tensor } from "./compiled.js" */
/** @import { Block, Config, VerifyResult } from "./types.js" */

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
  let count = 0;
  while (count < sorted.length - 1 && Math.fround(mass + p[count]) <= bound) mass += p[count++];
  const lowest = sorted[count];
  let equal = 0; // of those that tie with the lowest to stay, the first in the vocabulary go first
  while (equal < count && sorted[count - 1 - equal] === lowest) equal++;
  for (let j = 0; j < scores.length; j++) if (scores[j] < lowest || (scores[j] === lowest && equal-- > 0)) scores[j] = -Infinity;
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
export function topK(values, n) {
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

export class Verifier {
  /** @param {Compiled} compiled @param {Config} config @param {number} vocabulary */
  constructor(compiled, config, vocabulary) {
    const { memory } = compiled;
    const rows = config.K + 1;
    this.drawsEach = RULES[config.verifier].draws_each;
    this.sampler = new Sampler(compiled, config);
    this.argmax = config.drafting === "argmax";
    this.isCompiled = !this.drawsEach && this.sampler.isUnfiltered;
    this.p = memory.allocate("float32", rows, vocabulary);
    this.next = memory.allocate("float32", vocabulary);
    this.ids = memory.allocate("int64", rows);
    this.u = memory.allocate("float64", rows);
    this.chances = memory.allocate("float64", 2 * rows);
    this.noQ = memory.allocate("float32", 0, 0);
    this.decide = compiled.prepare("decide");
  }

  /** logits [K + 1, V]: the target's after the text and after each drafted token. @param {Block} block
   * @param {Tensor} logits
   * @param {number[] | null} u @returns {VerifyResult} */
  verify(block, logits, u) {
    if (!u) return verifyGreedy(block, logits);
    return this.isCompiled ? this._verifyCompiled(block, logits, u) : this._verifyOnHost(block, logits, u);
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _verifyCompiled({ ids, q, tensor }, logits, u) {
    const k = ids.length;
    const p = this.p.first(k + 1);
    this.ids.data.set(ids.map(BigInt));
    this.u.data.set(u);
    this.decide.set({
      logits,
      ids: this.ids.first(k),
      q: tensor && k ? tensor.first(k) : this.noQ,
      u: this.u.first(k + 1),
      temperature: this.sampler.temperature,
      theta: 1,
      argmax: this.argmax,
      p,
      next_distribution: this.next,
      numbers: this.chances.first(2 * k + 2),
    });
    this.decide.run();
    const [accepted, last, ...chances] = this.chances.data;
    const verdict = { ids, accepted, last, px: chances.slice(0, k), qx: chances.slice(k, 2 * k), u };
    return { ...verdict, best: null, p: rowsOf(p), q, after: this.next.data };
  }

  /** @param {Block} block @param {Tensor} logits @param {number[]} u @returns {VerifyResult} */
  _verifyOnHost({ ids, q }, logits, u) {
    const k = ids.length;
    const p = rowsOf(this.sampler.fillRows(logits, this.p.first(k + 1)));
    const testedQ = q && this.argmax ? ids.map((id, i) => oneHot(id, q[i].length)) : q;
    const px = ids.map((id, i) => p[i][id]);
    const qx = ids.map((id, i) => (testedQ ? testedQ[i][id] : 1));
    const verdict = this.drawsEach ? verifyByMatch(ids, p, u) : verifyByRejection({ ids, px, qx, p, q: testedQ, u });
    return { ids, ...verdict, px, qx, u, best: null, p, q };
  }
}

/** Keep x with chance min(1, p/q), else replace it from the residual (specviz/rules/rejection.py).
 * @param {{ ids: number[], px: number[], qx: number[], p: Float32Array[], q: Float32Array[] | null,
 *   u: number[] }} block
 * @returns {Pick<VerifyResult, "accepted" | "after" | "last">} */
export function verifyByRejection({ ids, px, qx, p, q, u }) {
  const fails = ids.findIndex((_, i) => !accepts(u[i], px[i], qx[i]));
  const accepted = fails < 0 ? ids.length : fails;
  const after = fails < 0 ? p[accepted] : residual(p[fails], /** @type {Float32Array[]} */ (q)[fails]);
  return { accepted, after, last: draw(after, u[ids.length]) };
}

/** Draw from p at every position, and keep while the drafted token is the same (specviz/rules/match.py).
 * @param {number[]} ids @param {Float32Array[]} p @param {number[]} u
 * @returns {Pick<VerifyResult, "accepted" | "after" | "last">} */
export function verifyByMatch(ids, p, u) {
  const samples = p.map((row, i) => draw(row, u[i]));
  const differs = ids.findIndex((id, i) => id !== samples[i]);
  const accepted = differs < 0 ? ids.length : differs;
  return { accepted, after: null, last: samples[accepted] };
}

/** Temperature 0: a drafted token stays iff it is the largest logit's. @param {Block} block @param {Tensor} logits
 * @returns {VerifyResult} */
function verifyGreedy({ ids }, logits) {
  const best = rowsOf(logits).map(argmax);
  const differs = ids.findIndex((id, i) => id !== best[i]);
  const accepted = differs < 0 ? ids.length : differs;
  const px = ids.map((id, i) => Number(id === best[i]));
  const verdict = { ids, accepted, last: best[accepted], px, qx: ids.map(() => 1), u: null };
  return { ...verdict, best, p: null, q: null, after: null };
}

/** norm(max(p − q, 0)), and p itself where nothing is left. @param {Float32Array} p @param {Float32Array} q */
function residual(p, q) {
  const rest = new Float32Array(p.length);
  let mass = 0;
  for (let j = 0; j < p.length; j++) {
    rest[j] = Math.max(p[j] - q[j], 0);
    mass += rest[j];
  }
  if (!(mass > 0)) return new Float32Array(p);
  for (let j = 0; j < rest.length; j++) rest[j] /= mass;
  return rest;
}

/** @param {Tensor} tensor @returns {Float32Array[]} */
export function rowsOf(tensor) {
  return Array.from({ length: tensor.shape[0] }, (_, i) => tensor.row(i));
}

/** @param {number} id @param {number} vocabulary */
function oneHot(id, vocabulary) {
  const row = new Float32Array(vocabulary);
  row[id] = 1;
  return row;
}
