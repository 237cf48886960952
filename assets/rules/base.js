// What several rules share (specviz/acceptance.py, specviz/rules/base.py).

export const SLACK = 1e-6; // rounding of probabilities that were summed in single precision

/** As math.isclose. @param {number} a @param {number} b @param {number} relative */
export const near = (a, b, relative) =>
  Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), SLACK);

/** Whether u accepts a token: u < p/q, without a division. @param {number} u @param {number} p @param {number} q */
export function accepts(u, p, q) {
  return u * q < p;
}

/** norm(max(scale·p − q, 0)), and p itself where nothing is left. @param {Float32Array} p @param {Float32Array} q */
export function residual(p, q, scale = 1) {
  const left = new Float32Array(p.length);
  let mass = 0;
  for (let j = 0; j < p.length; j++) {
    left[j] = Math.max(Math.fround(Math.fround(scale) * p[j]) - q[j], 0);
    mass += left[j];
  }
  if (!(mass > 0)) return new Float32Array(p);
  for (let j = 0; j < left.length; j++) left[j] /= mass;
  return left;
}

/** In nats. @param {Float32Array} p */
export function entropy(p) {
  let sum = 0;
  for (let j = 0; j < p.length; j++) if (p[j] > 0) sum -= p[j] * Math.log(p[j]);
  return Math.max(0, sum);
}

/** The distribution that token i was drawn from. @param {Float32Array[] | null} rows @param {number} i */
export function rowOf(rows, i) {
  if (!rows) throw new Error("a rejected token has a distribution that it was drawn from");
  return rows[i];
}
