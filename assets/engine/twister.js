// The uniforms of torch.rand on a CPU: a Mersenne twister (Matsumoto and Nishimura 1998, mt19937), two words to a
// number of 53 bits.

const N = 624;
const M = 397;

export class Twister {
  /** @param {number} seed 0 to 2³² − 1 */
  constructor(seed) {
    this.state = new Uint32Array(N);
    this.state[0] = seed;
    for (let i = 1; i < N; i++) {
      const before = this.state[i - 1] ^ (this.state[i - 1] >>> 30);
      this.state[i] = Math.imul(before, 1812433253) + i;
    }
    this.at = N;
  }

  /** The next 32 bits. */
  word() {
    if (this.at === N) this._twist();
    let y = this.state[this.at++];
    y ^= y >>> 11;
    y ^= (y << 7) & 0x9d2c5680;
    y ^= (y << 15) & 0xefc60000;
    return (y ^ (y >>> 18)) >>> 0;
  }

  /** A number in [0, 1): the lower 53 of 64 bits, of which the first word is the upper half. */
  uniform() {
    const upper = this.word() & 0x1fffff;
    return (upper * 2 ** 32 + this.word()) / 2 ** 53;
  }

  /** A whole number below `end`, as torch.randint draws it where that is below 2³². @param {number} end */
  below(end) {
    return this.word() % end;
  }

  _twist() {
    const s = this.state;
    for (let i = 0; i < N; i++) {
      const y = (s[i] & 0x80000000) | (s[(i + 1) % N] & 0x7fffffff);
      s[i] = s[(i + M) % N] ^ (y >>> 1) ^ (y & 1 ? 0x9908b0df : 0);
    }
    this.at = 0;
  }
}

/** The one source of chance in a run (specviz/engine/sampling.py, Uniforms). @param {number} seed */
export function uniforms(seed) {
  const twister = new Twister(seed);
  /** @param {number} n @returns {number[]} */
  return (n) => Array.from({ length: n }, () => twister.uniform());
}

/** Python's random.Random(seed).random(), so that an interval has the same ends in a browser: begun by an array as
 * CPython begins it (Matsumoto and Nishimura 2002, init_by_array). */
export class Mersenne extends Twister {
  /** @param {number} seed 0 to 2³² − 1 */
  constructor(seed) {
    super(19650218);
    mixKey(this.state, seed);
  }

  /** A number in [0, 1) of 53 bits. */
  random() {
    const upper = this.word() >>> 5;
    return (upper * 2 ** 26 + (this.word() >>> 6)) / 2 ** 53;
  }
}

/** @param {Uint32Array} state @param {number} key an array of this one number */
function mixKey(state, key) {
  let i = 1;
  const next = (/** @type {number} */ factor) => Math.imul(state[i - 1] ^ (state[i - 1] >>> 30), factor);
  const advance = () => {
    i += 1;
    if (i < N) return;
    state[0] = state[N - 1];
    i = 1;
  };
  for (let k = 0; k < N; k++) {
    state[i] = (state[i] ^ next(1664525)) + key;
    advance();
  }
  for (let k = 0; k < N - 1; k++) {
    state[i] = (state[i] ^ next(1566083941)) - i;
    advance();
  }
  state[0] = 0x80000000;
}
