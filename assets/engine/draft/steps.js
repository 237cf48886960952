// The k steps of a drafter: in one compiled call, or one by one where a block may end early or tokens are filtered.

import { ROWS } from "../stack.js";
import { rowsOf } from "../verify.js";
import { BlockBuilder } from "./base.js";

/** @import { Sequence } from "../sequence.js" */
/** @import { Stack } from "../stack.js" */
/** @import { Block, Entry, Head } from "../types.js" */
/** @import { DraftContext } from "./base.js" */

/** What one compiled call over `stack` drew. @param {Stack} stack @param {number} k
 * @param {number[] | null} u @returns {Block} */
function drawn(stack, k, u) {
  const tensor = u ? stack.q.first(k) : null;
  return { ids: stack.drawn(k), q: tensor && rowsOf(tensor), tensor, fewer: null };
}

/** k tokens of a model after `feed`, whose passes leave it after `until` layers. @param {DraftContext} context
 * @param {Sequence} sequence @param {number[]} feed @param {number} k @param {number[] | null} u
 * @param {number} [until] @returns {Block} */
export function draft(context, sequence, feed, k, u, until) {
  const { stack, model } = sequence;
  const draws = feed.length <= ROWS && context.draws(k, u);
  if (draws) {
    stack.run({
      feed,
      head: model.head,
      keep: 1,
      until,
      draws: { ...draws, known: Math.min(draws.known, model.vocabulary) },
    });
    return drawn(stack, k, u);
  }
  const builder = new BlockBuilder(context, k, u);
  let ids = feed;
  while (builder.open) ids = [builder.draw(sequence.append(ids, 1, until))];
  return builder.block();
}

/** k tokens of a head after `feed`, over its own cache. `features` [n, width]: one for each token of `feed`.
 * @param {DraftContext} context @param {Stack} stack @param {Entry} entry @param {Head} head @param {number[]} feed
 * @param {number} k @param {number[] | null} u @param {Float32Array} features @returns {Block} */
export function draftHead(context, stack, entry, head, feed, k, u, features) {
  const draws = feed.length <= ROWS && context.draws(k, u);
  if (draws) {
    stack.run({ feed, features, entry, head, keep: 1, draws });
    return drawn(stack, k, u);
  }
  const builder = new BlockBuilder(context, k, u);
  let [ids, made] = [feed, features];
  while (builder.open) {
    made = forward(stack, entry, ids, made, head).slice(-stack.width);
    ids = [builder.draw(stack.logits(head, 1))];
  }
  return builder.block();
}

/** k tokens of a head, after each of the last k of `feed`, in one pass; all but the first of these are open places,
 * which take the same token and feature. `follow` adds what a token adds to the logits of the next.
 * @param {DraftContext} context @param {Stack} stack @param {Entry} entry @param {Head} head @param {number[]} feed
 * @param {number} k @param {number[] | null} u @param {Float32Array} features
 * @param {import("../types.js").TokenLink | null} link @param {(id: number, logits: Float32Array) => void} follow
 * @returns {Block} */
export function draftParallel(context, stack, entry, head, feed, k, u, features, link, follow) {
  const { width } = stack;
  const before = feed.length > ROWS ? feed.length - k : 0;
  if (before) forward(stack, entry, feed.slice(0, before), features.subarray(0, before * width));
  const draws = context.draws(k, u) ?? undefined;
  const rest = { feed: feed.slice(before), features: features.subarray(before * width) };
  stack.run({ ...rest, entry, head, keep: k, draws, link: link ?? undefined, alike: k - 1 });
  if (draws) return drawn(stack, k, u);
  const builder = new BlockBuilder(context, k, u);
  const logits = stack.logits(head, k);
  for (let i = 0; builder.open; i++) {
    if (i && link) follow(builder.ids[i - 1], logits.row(i));
    builder.draw(logits.rows(i, 1));
  }
  return builder.block();
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
    const { left } = stack;
    out.set(left, (i + part.length) * width - left.length);
  }
  return out;
}
