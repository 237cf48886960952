// Where two greedy lanes part, and by how little (specviz/engine/race.py): the passes are made again after the
// timed runs.

import { roundsOf } from "../trace/events.js";

/** @import { Llama } from "./llama.js" */
/** @import { Lanes } from "./types.js" */

/** The first token in which the lanes differ; null if neither has one that the other has not.
 * @param {Llama} target @param {number[]} prompt @param {Lanes} run */
export function divergence(target, prompt, { vanilla, speculative }) {
  const [alone, ours] = [vanilla, speculative].map((lane) =>
    roundsOf(lane).flatMap((round) => round.emitted.map((e) => e.token)),
  );
  const at = alone.slice(0, ours.length).findIndex((token, i) => token.id !== ours[i].id);
  if (at < 0) return null;
  const pair = [alone[at].id, ours[at].id];
  const before = [...prompt, ...ours.slice(0, at).map(({ id }) => id)];
  const one = logits(target, before.slice(0, -1), before.slice(-1), 0, pair);
  let first = 0; // tokens before the round that wrote it
  let round;
  for (const one of roundsOf(speculative)) {
    round = one;
    if (at < first + one.emitted.length) break;
    first += one.emitted.length;
  }
  const text = [...prompt, ...ours.slice(0, first).map(({ id }) => id)];
  const drafted = round?.drafted ?? [];
  const input = [...text.slice(-1), ...drafted.map(({ token }) => token.id)];
  const block = logits(target, text.slice(0, -1), input, at - first, pair);
  return { at, vanilla: alone[at], speculative: ours[at], alone: one, block };
}

/** The logits of both tokens after input[row], by a pass over `input` behind what is cached. @param {Llama} target
 * @param {number[]} cached @param {number[]} input @param {number} row @param {number[]} pair */
function logits(target, cached, input, row, [vanilla, speculative]) {
  const { memory } = target.compiled;
  const mark = memory.mark();
  const sequence = target.sequence(cached.length + input.length);
  if (cached.length) sequence.append(cached, 1);
  const rowLogits = sequence.append(input, input.length).row(row);
  const pair = { vanilla: rowLogits[vanilla], speculative: rowLogits[speculative] };
  memory.release(mark);
  return pair;
}
