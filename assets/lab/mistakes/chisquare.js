// Pearson's χ² of counts against the distribution that should have given them, and how often luck alone is so far off.

/** @import { Distribution } from "./types.js" */

const LEAST = 5; // expected of a cell: below that the χ² distribution does not hold, so such cells are one

/**
 * `impossible`: the first outcome that came though its chance is 0; then there is nothing to test. `p` is null where
 * one cell is left.
 * @param {readonly number[]} counts @param {Distribution} p
 * @returns {{ impossible: number | null, chi: number, freedom: number, p: number | null }}
 */
export function chiSquare(counts, p) {
  const n = counts.reduce((a, b) => a + b, 0);
  const impossible = counts.findIndex((k, i) => k > 0 && p[i] < 1e-15);
  if (impossible >= 0) return { impossible, chi: Number.POSITIVE_INFINITY, freedom: 0, p: 0 };
  const cells = joined(counts.map((k, i) => ({ came: k, due: n * p[i] })).filter(({ due }) => due > 0));
  const chi = cells.reduce((sum, { came, due }) => sum + (came - due) ** 2 / due, 0);
  const freedom = cells.length - 1;
  return { impossible: null, chi, freedom, p: freedom > 0 ? upperGamma(freedom / 2, chi / 2) : null };
}

/** @param {{ came: number, due: number }[]} cells */
function joined(cells) {
  const sorted = cells.toSorted((a, b) => a.due - b.due);
  while (sorted.length > 1 && sorted[0].due < LEAST) {
    const [small, next] = sorted.splice(0, 2);
    sorted.push({ came: small.came + next.came, due: small.due + next.due });
    sorted.sort((a, b) => a.due - b.due);
  }
  return sorted;
}

/**
 * The regularised upper incomplete gamma function Q(a, x): series below a + 1, continued fraction above (Abramowitz and
 * Stegun 6.5.29 and 6.5.31).
 * @param {number} a @param {number} x
 */
export function upperGamma(a, x) {
  if (x <= 0) return 1;
  const scale = Math.exp(-x + a * Math.log(x) - logGamma(a));
  if (x < a + 1) {
    let term = 1 / a;
    let sum = term;
    for (let n = 1; n < 1000 && term > sum * 1e-16; n++) {
      term *= x / (a + n);
      sum += term;
    }
    return Math.max(0, 1 - sum * scale);
  }
  let b = x + 1 - a;
  let c = 1e300;
  let d = 1 / b;
  let fraction = d;
  for (let n = 1; n < 1000; n++) {
    const step = -n * (n - a);
    b += 2;
    d = 1 / (step * d + b);
    c = b + step / c;
    fraction *= c * d;
    if (Math.abs(c * d - 1) < 1e-15) break;
  }
  return scale * fraction;
}

/** ln Γ of half of a whole number above 0, by Γ(a + 1) = a·Γ(a). @param {number} a */
function logGamma(a) {
  let sum = a % 1 ? Math.log(Math.PI) / 2 : 0;
  for (let k = a % 1 ? 0.5 : 1; k < a - 1e-9; k++) sum += Math.log(k);
  return sum;
}
