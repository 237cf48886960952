// What a model's weights weigh.

import { number } from "../shared/numbers.js";

/** @import { Model } from "../shared/types.js" */

/** @type {Record<string, number>} */
const BYTES = { float32: 4, float64: 8, int8: 1 };

/**
 * What so many passes read, as it is written.
 * @param {Model} model @param {number} [passes]
 */
export function megabytes({ parameters, dtype }, passes = 1) {
  return number((parameters * (BYTES[dtype] || 2) * passes) / 1e6, 0);
}
