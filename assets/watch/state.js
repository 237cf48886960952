// What a race shows, as one plain state; all that is drawn is drawn from it. And where its replay stops.

import { questionsOf, stepsOf } from "./phases.js";
import { scoreOf } from "./score.js";

/** @import { Clock, Lane, LaneName, Picture, Stops } from "../shared/types.js" */
/** @import { Marked, Picked, State } from "./types.js" */

/** @param {Picture} picture @param {Clock} clock @returns {State} */
export function makeState(picture, clock) {
  const stepped = steppedLane(picture);
  const nothing = { known: /** @type {const} */ (""), stood: null, guesses: new Map(), over: false };
  return { picture, clock, stepped, picked: worthAsking(picture), ...nothing };
}

/** The lane that is stepped through: the speculative one, if it has a round. @param {Picture} picture */
export function steppedLane({ lanes }) {
  return [lanes.speculative, lanes.vanilla].find((lane) => lane?.rounds.length) || null;
}

/** How long the replay is: as long as the slower lane. @param {Picture} picture */
export function longest({ lanes }) {
  return Math.max(0, lanes.vanilla?.duration || 0, lanes.speculative?.duration || 0);
}

/**
 * A first token to look at: the first rejection says most, else the first that was accepted, else anything of a round.
 * @param {Picture} picture @returns {Picked | null}
 */
export function worthAsking({ lanes }) {
  const { speculative, vanilla } = lanes;
  if (speculative) {
    const { changes } = scoreOf(speculative);
    const said = changes.find(({ to }) => to === "rejected") || changes.find(({ to }) => to === "accepted");
    if (said) return tokenAt(speculative, said.token);
  }
  const lane = [speculative, vanilla].find((each) => each?.rounds.some(({ shown }) => shown.length));
  return lane ? tokenAt(lane, lane.prompt.length) : null;
}

/**
 * The token of a round at a place of the lane's text.
 * @param {Lane} lane @param {number} at @returns {Picked | null}
 */
function tokenAt(lane, at) {
  let left = at - lane.prompt.length;
  for (const [round, { shown }] of lane.rounds.entries()) {
    if (left < shown.length)
      return { lane: lane.name, round, drafted: shown[left].drafted, emitted: shown[left].emitted };
    left -= shown.length;
  }
  return null;
}

/**
 * The round that is marked on the timeline: the one that is pointed at, else that of the chosen token.
 * @param {State} state @param {LaneName} [lane] @param {number} [index] what is pointed at
 * @returns {(Marked & { index: number, pointed: boolean }) | null}
 */
export function markedRound({ picture, picked }, lane, index) {
  const at = index === undefined ? picked : { lane, round: index };
  if (!at?.lane || at.round === undefined) return null;
  const round = picture.lanes[at.lane]?.rounds[at.round];
  return round ? { lane: at.lane, index: at.round, round, pointed: index !== undefined } : null;
}

/** @param {Picture} picture @param {boolean} asking @returns {Stops} */
export function stopsOf(picture, asking) {
  const lane = steppedLane(picture);
  if (!lane) return { moments: [], steps: [], halts: [] };
  const halts = asking ? questionsOf(lane) : [];
  return { moments: lane.rounds.map(({ end }) => end), steps: stepsOf(lane, halts), halts };
}
