// Draft any token at all, each as likely as the next (specviz/engine/draft/tables.py).

import { Twister } from "../twister.js";
import { BlockBuilder, Stateless, tableInfo } from "./base.js";

/** @import { Block, DrafterFactory } from "../types.js" */

const TIE = 1e-6; // a logit that is the largest of equals, and changes no chance that a screen could show

/** @type {DrafterFactory} */
export const openDrafter = ({ vocabulary }) => ({
  kind: "random",
  info: tableInfo("random", "random", vocabulary),
  begin: (context) => new RandomSession(context),
});

class RandomSession extends Stateless {
  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    const { context } = this;
    const builder = new BlockBuilder(context, k, u);
    // where no uniform is used, a token that depends on where the text stands, and on nothing else
    const twister = !u || context.argmax ? new Twister(tokens.length) : null;
    while (builder.isOpen) {
      const row = context.logits.row(0).fill(0);
      if (twister) row[twister.below(context.vocabulary)] = TIE;
      builder.draw(context.logits);
    }
    return builder.block();
  }
}
