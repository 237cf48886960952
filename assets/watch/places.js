// The positions of a round's picture as tokens that are chosen, and back: 0 is the last token of the text before it,
// i + 1 drafted token i, −1 what came out.

/** @import { Before } from "../round/types.js" */
/** @import { Lane, LaneName, Round, Token } from "../shared/types.js" */
/** @import { TokenRef } from "./types.js" */

/** @param {Lane} lane @param {Round} round @param {number} at @returns {TokenRef} */
export function refAt(lane, round, at) {
  if (at > 0) return draftedRef(round, at - 1, lane.name);
  if (at < 0) return lastRef(round, lane.name);
  const before = lane.rounds[round.index - 1];
  if (before) return lastRef(before, lane.name);
  return { lane: lane.name, prompt: lane.prompt.length - 1, drafted: null, emitted: null };
}

/** A drafted token, whether it stands in the text or not.
 * @param {Round} round @param {number} i @param {LaneName} lane @returns {TokenRef} */
export function draftedRef(round, i, lane) {
  const emitted = round.shown.find((each) => each.drafted === i)?.emitted ?? null;
  return { lane, round: round.index, drafted: i, emitted };
}

/** The last token that a round gave out. @param {Round} round @param {LaneName} lane @returns {TokenRef} */
function lastRef({ index, shown }, lane) {
  const token = shown.findLast(({ emitted }) => emitted !== null);
  return { lane, round: index, drafted: token?.drafted ?? null, emitted: token?.emitted ?? null };
}

/** @param {TokenRef | null} ref @param {Round} round @returns {number | null} none where it is of another round */
export function placeOf(ref, round) {
  if (ref?.round !== round.index) return null;
  return ref.drafted === null ? -1 : ref.drafted + 1;
}

/** What a round's picture needs of the text before it. @param {Lane} lane @param {Round} round @returns {Before} */
export function beforeRound(lane, round) {
  const [before] = lane.rounds.slice(0, round.index).slice(-1);
  return { last: (before ? before.emitted.at(-1)?.token : lane.prompt.at(-1)) ?? null, read: readTokens(lane, round) };
}

/**
 * The tokens that the target read at its positions: the text so far, then the block of this round.
 * @param {Lane} lane @param {Round} round @returns {Token[]}
 */
export function readTokens({ prompt, rounds }, round) {
  const before = rounds.slice(0, rounds.indexOf(round));
  const text = [...prompt, ...before.flatMap(({ emitted }) => emitted.map(({ token }) => token))];
  return [
    ...text.slice(0, (round.target_cache?.before ?? text.length) + 1),
    ...round.drafted.map(({ token }) => token),
  ];
}
