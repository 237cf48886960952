// What a model's weights weigh, and what passes over them that were measured say of the machine.

import { number, percent } from "../shared/numbers.js";

/** @import { LocalPassTimes, ModelWeights } from "./types.js" */

/**
 * What so many passes read, as it is written: so many times what is written of one, so that a reader can multiply.
 * @param {ModelWeights} model @param {number} [passes]
 */
export function megabytes({ bytes }, passes = 1) {
  return number(Math.round(bytes / 1e6) * passes, 0);
}

/**
 * Two operations with each weight for each of n tokens, and which share of a pass over one token they are at that pace;
 * the weights are read once a pass. By milliseconds, so in billions a second; `each`: operations while a byte is read.
 * @param {LocalPassTimes} measurement @param {number} n
 */
export function bound({ parameters, bytes, ms }, n) {
  return {
    n,
    operations: number((2 * parameters * n) / ms[n] / 1e6, 0),
    share: percent(Math.min(1, ms[n] / n / ms[1])),
    read: number(bytes / ms[1] / 1e6, 1),
    each: number((2 * parameters * n * ms[1]) / ms[n] / bytes, 1),
  };
}
