// What several rules share (specviz/acceptance.py, specviz/rules/rejection.py).

export const SLACK = 1e-6; // rounding of probabilities that were summed in single precision

/** As math.isclose. @param {number} a @param {number} b @param {number} relative */
export const near = (a, b, relative) => Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), SLACK);

/** Whether u accepts a token: u < p/q, without a division. @param {number} u @param {number} p @param {number} q */
export function accepts(u, p, q) {
  return u * q < p;
}
