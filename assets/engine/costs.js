// What a pass costs here: t(n) over n tokens, by batches that are longer than the steps of a browser's clock. c is a
// drafter's step and
// v a pass over a block, both in passes of the target over one token.

/** @import { Llama } from "./llama.js" */
/** @import { Sequence } from "./sequence.js" */

const BATCH = 4; // ms that are timed at once, at least
const BEFORE = 100; // positions in the cache
const BATCHES = 15;

/** The median ms of a pass over each number of tokens of `sizes`, and the least. @param {Llama} model
 * @param {number[]} sizes */
export function passTimes(model, sizes, batches = BATCHES) {
  const { memory } = model.compiled;
  const mark = memory.mark();
  const sequence = model.sequence(BEFORE + Math.max(...sizes));
  sequence.append(Array.from({ length: BEFORE }, (_, i) => 5 + i));
  /** @type {Record<number, { median: number, least: number }>} */
  const found = {};
  for (const n of sizes) found[n] = timed(sequence, n, batches);
  memory.release(mark);
  return found;
}

/** @param {Sequence} sequence @param {number} n @param {number} batches */
function timed(sequence, n, batches) {
  const ids = Array.from({ length: n }, (_, i) => 200 + i);
  const pass = () => {
    sequence.append(ids, n);
    sequence.rollback(BEFORE);
  };
  const batch = (/** @type {number} */ passes) => {
    const start = performance.now();
    for (let i = 0; i < passes; i++) pass();
    return performance.now() - start;
  };
  let passes = 1;
  while (batch(passes) < BATCH) passes *= 2;
  const times = Array.from({ length: batches }, () => batch(passes) / passes).sort((a, b) => a - b);
  return { median: times[batches >> 1], least: times[0] };
}
