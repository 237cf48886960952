// Draft with the target's own first layers and its head (specviz/engine/draft/early_exit.py). It borrows the
// target's cache.

import { ModelError } from "../weights.js";
import { Stateless } from "./base.js";
import { grow } from "./branch.js";
import { draft } from "./steps.js";

/** @import { Llama } from "../llama.js" */
/** @import { Block, Drafter, Open } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

/** @type {Open} */
export const open = (target, which) =>
  new EarlyExit(target, which ? Number(which) : Math.max(1, Math.floor(target.info.layers / 4)));

/** @implements {Drafter} */
export class EarlyExit {
  kind = "early-exit";

  /** @param {Llama} target @param {number} layers */
  constructor(target, layers) {
    const of = target.info.layers;
    if (!(layers > 0 && layers < of)) throw new ModelError(`Early exit is after 1 to ${of - 1} layers, not ${layers}.`);
    this.layers = layers;
    this.info = { ...target.info, name: `first ${layers} of ${of} layers`, layers, parameters: 0 };
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new EarlyExitSession(this.layers, context);
  }
}

class EarlyExitSession extends Stateless {
  /** @param {number} layers @param {DraftContext} context */
  constructor(layers, context) {
    super(context);
    this.layers = layers;
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const { target } = this.context;
    const before = target.length;
    const block = draft(this.context, target, tokens.slice(before), k, u, this.layers);
    target.rollback(before);
    this.forwards += block.ids.length;
    return block;
  }

  /** @param {number[]} tokens @param {number} depth @param {number[] | null} u @returns {Block} */
  branch(tokens, depth, u) {
    const { target } = this.context;
    const before = target.length;
    const level = (/** @type {number[]} */ ids, /** @type {number[] | undefined} */ parents, keep = ids.length) => {
      this.forwards += 1;
      return target.append(ids, keep, this.layers, parents);
    };
    const block = grow(this.context, depth, u, level(tokens.slice(before), undefined, 1), level);
    target.rollback(before);
    return block;
  }
}
