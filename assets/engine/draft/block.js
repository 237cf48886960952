// Draft a whole block in one pass: an EAGLE head with a learned feature at the places that are still open
// (specviz/engine/draft/block.py).

import { matrix } from "../llama.js";
import { PANEL } from "../packing.js";
import { concatenate } from "../sequence.js";
import { numbers } from "../weights.js";
import { NO_DRAFT } from "./base.js";
import { Eagle, EagleSession } from "./eagle.js";
import { draftParallel } from "./steps.js";

/** @import { Llama } from "../llama.js" */
/** @import { Block, Drafter, HeadFactory } from "../types.js" */
/** @import { Weights } from "../weights.js" */
/** @import { DraftContext } from "./base.js" */

/** @type {HeadFactory} */
export const openDrafter = (target, { weights, name, config }) => new BlockHead(target, weights, name, config);

/** @implements {Drafter} */
class BlockHead extends Eagle {
  kind = "block";
  onePass = true;

  /** @param {Llama} target @param {Weights} weights @param {string} name @param {any} config of the head */
  constructor(target, weights, name, config) {
    const { width } = target.dimensions;
    const feature = numbers(weights.take("mask_hidden", 1, 3 * width));
    const link = linkOf(target, weights);
    super(target, weights, name, config);
    this.link = link;
    this.addedLogits = link && target.compiled.prepare("multiply").set({ w: link.after, y: link.added });
    this.maskToken = Number(config.ptd_token_id);
    this.maskFeature = this.fuse([0, 1, 2].map((i) => feature.subarray(i * width, (i + 1) * width)));
    this.info.family = "block head";
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new BlockSession(this, context);
  }

  /** Add what a token adds to the logits of the next. @param {number} id @param {Float32Array} logits */
  addLink(id, logits) {
    const { link, addedLogits, head } = this;
    if (!link || !addedLogits) return;
    addedLogits.set({ x: link.before.rows(id, 1) }).run();
    const columns = head.columns?.data;
    const more = link.added.row(0).subarray(0, head.rows);
    for (const [r, one] of more.entries()) logits[columns ? Number(columns[r]) : r] += one;
  }
}

/** @param {Llama} target @param {Weights} weights @returns {import("../types.js").TokenLink | null} */
function linkOf({ compiled, vocabulary }, weights) {
  const rank = weights.tensors.get("link_embed.weight")?.shape[1];
  const own = weights.tensors.get("lm_head.weight")?.shape[0] ?? vocabulary;
  if (!rank) return null;
  const before = compiled.memory.allocate("float32", vocabulary, rank);
  before.data.set(numbers(weights.take("link_embed.weight", vocabulary, rank)));
  const after = matrix(compiled, weights, "link_lm_head.weight", own, rank);
  return { before, after, added: compiled.memory.allocate("float32", 1, after.shape[0] * PANEL) };
}

/** The cache holds true positions, then those of open places, which are rolled back after every round. */
class BlockSession extends EagleSession {
  /** @param {BlockHead} block @param {DraftContext} context */
  constructor(block, context) {
    super(block, context);
    this.block = block;
  }

  /** @param {number[]} tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(tokens, k, u) {
    if (tokens.length < 2) return NO_DRAFT;
    const { entry, head, maskToken, maskFeature, link } = this.block;
    const later = Array.from({ length: k - 1 }, () => maskToken);
    const feed = [...tokens.slice(this.stack.length + 1), ...later];
    const features = concatenate([this.fusedFeatures, ...later.map(() => maskFeature)]);
    this.forwards += 1;
    return draftParallel(this.context, this.stack, entry, head, feed, k, u, features, link, (id, logits) =>
      this.block.addLink(id, logits),
    );
  }
}
