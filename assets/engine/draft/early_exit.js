// Draft with the target's own first layers and its head (specviz/engine/draft/model.py). It borrows the
// target's cache.

import { ModelError } from "../weights.js";
import { Stateless } from "./base.js";
import { draft } from "./steps.js";

/** @import { Block, DrafterFactory } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

/** `which`: after so many layers. @type {DrafterFactory} */
export function openDrafter({ info }, which) {
  const total = info.layers;
  const layers = which ? Number(which) : Math.max(1, Math.floor(total / 4));
  if (!(layers > 0 && layers < total))
    throw new ModelError(`Early exit is after 1 to ${total - 1} layers, not ${layers}.`);
  return {
    kind: "early-exit",
    info: { ...info, name: `first ${layers} of ${total} layers`, layers, parameters: 0 },
    begin: (context) => new EarlyExitSession(layers, context),
  };
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
}
