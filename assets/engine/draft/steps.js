// The k steps of a drafter: in one compiled call, or one by one where a block may end early or tokens are filtered.

import { ROWS } from "../stack.js";
import { rowsOf } from "../verify.js";
import { BlockBuilder } from "./base.js";

/** @import { Sequence } from "../sequence.js" */
/** @import { Stack } from "../stack.js" */
/** @import { Tensor } from "../memory.js" */
/** @import { Block, Entry, Head, Pass } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

/** k tokens after those of `pass`: in one compiled call, or one by one, where `next` gives the logits after ids.
 * @param {DraftContext} context @param {Stack} stack @param {Pass} pass @param {number} k @param {number[] | null} u
 * @param {(ids: number[]) => Tensor} next @returns {Block} */
function draftChain(context, stack, pass, k, u, next) {
  const draws = pass.feed.length <= ROWS && context.compiledDraws(k, u);
  if (draws) {
    const vocabulary = Math.min(draws.vocabulary, stack.vocabulary);
    stack.run({ ...pass, keep: 1, draws: { ...draws, vocabulary } });
    const tensor = u ? stack.q.first(k) : null;
    return { ids: stack.draftIds(k), q: tensor && rowsOf(tensor), tensor, shortBlockReason: null };
  }
  const builder = new BlockBuilder(context, k, u);
  let ids = pass.feed;
  while (builder.isOpen) ids = [builder.draw(next(ids))];
  return builder.block();
}

/** k tokens of a model after `feed`, whose passes leave it after `until` layers. @param {DraftContext} context
 * @param {Sequence} sequence @param {number[]} feed @param {number} k @param {number[] | null} u
 * @param {number} [until] @returns {Block} */
export function draft(context, sequence, feed, k, u, until) {
  const { stack, model } = sequence;
  const next = (/** @type {number[]} */ ids) => sequence.append(ids, 1, until);
  return draftChain(context, stack, { feed, head: model.head, until }, k, u, next);
}

/** k tokens of a head after `feed`, over its own cache. `features` [n, width]: one for each token of `feed`.
 * @param {DraftContext} context @param {Stack} stack @param {Entry} entry @param {Head} head @param {number[]} feed
 * @param {number} k @param {number[] | null} u @param {Float32Array} features @returns {Block} */
export function draftHead(context, stack, entry, head, feed, k, u, features) {
  let hidden = features;
  return draftChain(context, stack, { feed, features, entry, head }, k, u, (ids) => {
    hidden = forward(stack, entry, ids, hidden, head).slice(-stack.width);
    return stack.logits(head, 1);
  });
}

/** A head over any number of positions [n, width] → what leaves it [n, width]; with `head` the logits of the last stay,
 * and what leaves it may be of that one alone.
 * @param {Stack} stack @param {Entry} entry @param {number[]} feed @param {Float32Array} features
 * @param {Head} [head] */
export function forward(stack, entry, feed, features, head) {
  const { width } = stack;
  const out = new Float32Array(feed.length * width);
  for (let i = 0; i < feed.length; i += ROWS) {
    const part = feed.slice(i, i + ROWS);
    const keep = head && i + ROWS >= feed.length ? 1 : 0;
    stack.run({ feed: part, features: features.subarray(i * width, (i + part.length) * width), entry, head, keep });
    const { lastHidden } = stack;
    out.set(lastHidden, (i + part.length) * width - lastHidden.length);
  }
  return out;
}
