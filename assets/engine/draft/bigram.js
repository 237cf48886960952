// Draft from a table of what followed each token in the training text (specviz/engine/draft/bigram.py).

import { ModelError, numbers } from "../weights.js";
import { BlockBuilder, Stateless, tableInfo } from "./base.js";
import { growTree } from "./branch.js";

/** @import { Block, HeadFactory } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

const UNSEEN_COUNT = 1e-4; // of a follower that the table lacks

/** @typedef {{ next: Float32Array, count: Float32Array, width: number }} Table followers of each token, [V, width] */

/** @type {HeadFactory} */
export function openDrafter({ vocabulary }, { weights, name }) {
  const shape = weights.tensors.get("next")?.shape ?? [];
  if (shape.length !== 2 || shape[0] !== vocabulary)
    throw new ModelError(`${name} is no bigram table of ${vocabulary} tokens: it needs next and count, a row each.`);
  const [next, count] = ["next", "count"].map((key) => numbers(weights.take(key, ...shape)));
  if (next.some((id) => id < 0 || id >= vocabulary))
    throw new ModelError(`${name}: a bigram table holds ids from 0 to ${vocabulary - 1}.`);
  const followers = count.reduce((sum, n) => sum + Number(n > 0), 0);
  return {
    kind: "bigram",
    info: tableInfo(name, "bigram", vocabulary, followers),
    begin: (context) => new BigramSession({ next, count, width: shape[1] }, context),
  };
}

class BigramSession extends Stateless {
  /** @param {Table} followers @param {DraftContext} context */
  constructor(followers, context) {
    super(context);
    this.followers = followers;
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const builder = new BlockBuilder(this.context, k, u);
    let id = tokens[tokens.length - 1];
    while (builder.isOpen) id = builder.draw(this._logits(id));
    return builder.block();
  }

  /** @param {number[]} tokens @param {number} depth @param {number[] | null} u @returns {Block} */
  branch(tokens, depth, u) {
    const level = (/** @type {number[]} */ ids) => ({ row: (/** @type {number} */ i) => this._logits(ids[i]).row(0) });
    return growTree(this.context, depth, u, level(tokens.slice(-1)), level);
  }

  /** Logarithms of counts. @param {number} id */
  _logits(id) {
    const { width, next, count } = this.followers;
    const row = this.context.logits.row(0).fill(UNSEEN_COUNT);
    for (let i = id * width; i < (id + 1) * width; i++) row[next[i]] += count[i];
    for (let j = 0; j < row.length; j++) row[j] = Math.log(row[j]);
    return this.context.logits;
  }
}
