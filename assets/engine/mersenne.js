// Python's random.Random(seed).random(), so that an interval has the same ends in a browser: the Mersenne twister of
// the engine, begun by an array as CPython begins it (Matsumoto and Nishimura 2002, init_by_array).

import { Twister } from "./twister.js";

const N = 624;

export class Mersenne {
  /** @param {number} seed 0 to 2³² − 1 */
  constructor(seed) {
    this.twister = new Twister(19650218);
    mix(this.twister.state, seed);
  }

  /** A number in [0, 1) of 53 bits. */
  random() {
    const upper = this.twister.word() >>> 5;
    return (upper * 2 ** 26 + (this.twister.word() >>> 6)) / 2 ** 53;
  }
}

/** @param {Uint32Array} state @param {number} key an array of this one number */
function mix(state, key) {
  let i = 1;
  const next = (/** @type {number} */ factor) => Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor);
  const on = () => {
    i += 1;
    if (i < N) return;
    state[0] = state[N - 1];
    i = 1;
  };
  for (let k = 0; k < N; k++) {
    state[i] = (state[i] ^ next(1664525)) + key;
    on();
  }
  for (let k = 0; k < N - 1; k++) {
    state[i] = (state[i] ^ next(1566083941)) - i;
    on();
  }
  state[0] = 0x80000000;
}
