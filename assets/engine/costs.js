// What a pass costs here: t(n) over n tokens, by batches that are longer than the steps of a browser's clock. c is a
// drafter's step and
// v a pass over a block, both in passes of the target over one token.

/** @import { Llama } from "./llama.js" */
/** @import { Sequence } from "./sequence.js" */

const BATCH_MS = 4; // timed as one, at least
const CACHED_POSITIONS = 100;
const BATCHES = 15;

/** The median ms of a pass over each number of tokens of `sizes`, and the least. @param {Llama} model
 * @param {number[]} sizes */
export function passTimes(model, sizes) {
  const { memory } = model.compiled;
  const mark = memory.mark();
  const sequence = model.sequence(CACHED_POSITIONS + Math.max(...sizes));
  sequence.append(Array.from({ length: CACHED_POSITIONS }, (_, i) => 5 + i));
  /** @type {Record<number, { median: number, least: number }>} */
  const times = {};
  for (const n of sizes) times[n] = timePass(sequence, n);
  memory.release(mark);
  return times;
}

/** @param {Sequence} sequence @param {number} n */
function timePass(sequence, n) {
  const ids = Array.from({ length: n }, (_, i) => 200 + i);
  const pass = () => {
    sequence.append(ids, n);
    sequence.rollback(CACHED_POSITIONS);
  };
  const batch = (/** @type {number} */ passes) => {
    const start = performance.now();
    for (let i = 0; i < passes; i++) pass();
    return performance.now() - start;
  };
  let passes = 1;
  while (batch(passes) < BATCH_MS) passes *= 2;
  const times = Array.from({ length: BATCHES }, () => batch(passes) / passes).sort((a, b) => a - b);
  return { median: times[BATCHES >> 1], least: times[0] };
}
