// What a pass leaves of its logits, in the order of the target's vocabulary.

import { PANEL } from "./packing.js";

/** @import { Tensor } from "./memory.js" */
/** @import { Head } from "./types.js" */

/** The first `keep` rows of y, which lie as far apart as whole panels, put side by side where they are: [keep, V].
 * @param {Tensor} y @param {Head} head @param {number} keep @param {number} vocabulary V @returns {Tensor} */
export function logitsOf(y, { matrix, rows, columns }, keep, vocabulary) {
  const wide = matrix.shape[0] * PANEL;
  if (columns) spread(y.data, columns.data, wide, keep, vocabulary);
  else if (wide !== rows) for (let i = 1; i < keep; i++) y.data.copyWithin(i * rows, i * wide, i * wide + rows);
  return y.shaped(keep, columns ? vocabulary : rows);
}

/** What a head's own vocabulary lacks is impossible. The last row comes first, so that none is written over.
 * @param {Float32Array} all @param {BigInt64Array} columns @param {number} wide @param {number} keep
 * @param {number} vocabulary */
function spread(all, columns, wide, keep, vocabulary) {
  for (let i = keep - 1; i >= 0; i--) {
    const own = all.slice(i * wide, i * wide + columns.length);
    const row = all.subarray(i * vocabulary, (i + 1) * vocabulary).fill(-Infinity);
    for (const [r, logit] of own.entries()) row[Number(columns[r])] = logit;
  }
}
