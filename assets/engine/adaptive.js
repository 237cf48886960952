// How many tokens to draft next, by what the run has shown so far (specviz/engine/draft/adaptive.py).

import { expectedTokens, median } from "../trace/events.js";

/** @import { Choice, Round } from "./types.js" */

const RECENT_ROUNDS = 32; // those that α is taken from
const PRIOR_TOKENS = 3; // tested tokens' worth of belief in α = ½
const PROBE_INTERVAL = 8; // rounds without drafts after which one token is tried

/** Tries the two ends, K, 1 and K again, and then what promises most; not to draft promises 1. */
export class AdaptiveK {
  rounds = 0;
  idle = 0; // rounds in which nothing was drafted, since it would not have paid
  /** @type {[number, number][]} tested, accepted */
  counts = [];
  /** @type {number[]} ms of one draft step */
  steps = [];
  /** @type {Map<number, number>} tokens drafted → ms of the fastest pass that verified them */
  passes = new Map();

  /** @param {number} limit K of the settings @param {boolean} [onePass] whether a block is one step of the draft */
  constructor(limit, onePass = false) {
    this.limit = limit;
    this.maxSteps = onePass ? 1 : Infinity; // steps of a block
  }

  /** @param {Round} event */
  learnFrom({ drafted, times }) {
    const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
    const accepted = tested.filter(({ verdict }) => verdict === "accepted").length;
    const k = drafted.length;
    this.rounds += 1;
    if (k) {
      this.counts.push([tested.length, accepted]);
      this.steps.push(times.draft / Math.min(k, this.maxSteps));
    }
    this.passes.set(k, Math.min(times.verify, this.passes.get(k) ?? Infinity));
  }

  /** K for the next round, and by what it is chosen. @returns {Choice} */
  next() {
    const unknown = { alpha: null, c: null, v: null, speedup: null };
    if (this.rounds < 3 || !this.counts.length)
      return { K: this.rounds === 1 ? 1 : this.limit, why: "trial", ...unknown };
    let [tested, accepted] = [0, 0];
    for (const [t, a] of this.counts.slice(-RECENT_ROUNDS)) {
      tested += t;
      accepted += a;
    }
    const alpha = (accepted + PRIOR_TOKENS / 2) / (tested + PRIOR_TOKENS);
    const low = Math.min(...this.passes.keys());
    const high = Math.max(...this.passes.keys());
    const one = Math.min(...this.passes.values());
    const slope = Math.max(0, (this.passes.get(high) ?? one) - one) / Math.max(1, high - low);
    const unit = Math.max(one - slope * low, 1e-6);
    const c = median(this.steps.slice(-RECENT_ROUNDS)) / unit;
    const v = (/** @type {number} */ K) => 1 + (slope * K) / unit;
    const promise = (/** @type {number} */ K) => expectedTokens(alpha, K) / (Math.min(K, this.maxSteps) * c + v(K));
    /** @param {number} K @param {Choice["why"]} why @returns {Choice} */
    const choice = (K, why) => ({ K, why, alpha, c, v: v(K), speedup: promise(K) });
    let best = 0;
    for (let K = 1; K <= this.limit; K++) if (promise(K) > promise(best)) best = K;
    if (best) {
      this.idle = 0;
      return choice(best, "most");
    }
    this.idle = (this.idle + 1) % (PROBE_INTERVAL + 1);
    return this.idle ? choice(0, "none") : choice(1, "probe");
  }
}
