// Counts of right and wrong, without an approximation: few students are a class.

/** ln of the number of ways to choose k of n. @param {number} n @param {number} k */
function logWays(n, k) {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/** The chance of k or more of n, each with chance p. @param {number} n @param {number} k @param {number} p */
export function atLeast(n, k, p) {
  if (k <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  let sum = 0;
  for (let i = k; i <= n; i++) sum += Math.exp(logWays(n, i) + i * Math.log(p) + (n - i) * Math.log1p(-p));
  return Math.min(1, sum);
}

/**
 * The exact interval, 95 %, for a share of which k of n were counted (Clopper and Pearson 1934).
 * @param {number} k @param {number} n @returns {[number, number]}
 */
export function interval(k, n) {
  const low = k === 0 ? 0 : solved((p) => atLeast(n, k, p) - 0.025);
  const high = k === n ? 1 : solved((p) => atLeast(n, k + 1, p) - 0.975);
  return [low, high];
}

/** Where a rising function of a share is 0. @param {(p: number) => number} rising */
function solved(rising) {
  let [low, high] = [0, 1];
  for (let i = 0; i < 50; i++) {
    const middle = (low + high) / 2;
    if (rising(middle) < 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}

/**
 * The exact sign test: with both ways equally likely, the chance of a result at least so one-sided, to either side.
 * @param {number} more @param {number} fewer
 */
export const signTest = (more, fewer) => Math.min(1, 2 * atLeast(more + fewer, Math.max(more, fewer), 0.5));
