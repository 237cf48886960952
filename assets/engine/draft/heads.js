// What heads read of the target: its features at every position of the text (specviz/engine/draft/eagle.py). A
// head's position i is
// made of the target's feature at i and of the token after it; so a text of n tokens has n − 1 of them.

/** @import { Sequence } from "../sequence.js" */

/** The target's features of one text, as its passes go by. */
export class Features {
  /** @param {Sequence} target @param {number[]} layers */
  constructor(target, layers) {
    this.target = target;
    target.taps = layers;
    this.length = 1; // of the text whose features were taken, and its one token that never was fed
  }

  /** By layer, the rows [n, width] of the positions that the text gained now that it is `length` tokens long.
   * @param {number} length */
  newRows(length) {
    const rows = (length - this.length) * this.target.model.dimensions.width;
    this.length = length;
    return this.target.tapInputs.map((layer) => layer.subarray(0, rows));
  }
}
