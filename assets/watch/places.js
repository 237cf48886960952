// The positions of a round's picture as tokens that are chosen, and back: 0 is the last token of the text before it,
// i + 1 drafted token i, −1 what came out.

import { readTokens } from "../round/cells.js";

/** @import { Before } from "../round/types.js" */
/** @import { Lane, LaneName, Round } from "../shared/types.js" */
/** @import { Picked } from "./types.js" */

/** @param {Lane} lane @param {Round} round @param {number} at @returns {Picked} */
export function pickedAt(lane, round, at) {
  if (at > 0) return pickedOf(round, at - 1, lane.name);
  if (at < 0) return lastOf(round, lane.name);
  const before = lane.rounds[round.index - 1];
  if (before) return lastOf(before, lane.name);
  return { lane: lane.name, prompt: lane.prompt.length - 1, drafted: null, emitted: null };
}

/** A drafted token, whether it stands in the text or not.
 * @param {Round} round @param {number} i @param {LaneName} lane @returns {Picked} */
export function pickedOf(round, i, lane) {
  const emitted = round.shown.find((each) => each.drafted === i)?.emitted ?? null;
  return { lane, round: round.index, drafted: i, emitted };
}

/** The last token that a round gave out. @param {Round} round @param {LaneName} lane @returns {Picked} */
function lastOf({ index, shown }, lane) {
  const out = shown.findLast(({ emitted }) => emitted !== null);
  return { lane, round: index, drafted: out?.drafted ?? null, emitted: out?.emitted ?? null };
}

/** @param {Picked | null} picked @param {Round} round @returns {number | null} none where it is of another round */
export function placeOf(picked, round) {
  if (picked?.round !== round.index) return null;
  return picked.drafted === null ? -1 : picked.drafted + 1;
}

/** What a round's picture needs of the text before it. @param {Lane} lane @param {Round} round @returns {Before} */
export function beforeRound(lane, round) {
  const [before] = lane.rounds.slice(0, round.index).slice(-1);
  return { last: (before ? before.emitted.at(-1)?.token : lane.prompt.at(-1)) ?? null, read: readTokens(lane, round) };
}
