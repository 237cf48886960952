// What a race shows, as one plain state; all that is drawn is drawn from it. And where its replay stops.

import { questionsOf, stepsOf } from "./phases.js";

/** @import { Clock, LaneName, Picture, Stops } from "../shared/types.js" */
/** @import { LaneRound, TokenRef, State } from "./types.js" */

/** @param {Picture} picture @param {Clock} clock @returns {State} */
export function makeState(picture, clock) {
  const lane = steppedLane(picture);
  const initial = { revealStage: /** @type {const} */ (""), lastStop: null, guesses: new Map(), over: false };
  return { picture, clock, lane, selection: firstSelection(picture), ...initial };
}

/** The lane that is stepped through: the speculative one, if it has a round. @param {Picture} picture */
export function steppedLane({ lanes }) {
  return [lanes.speculative, lanes.vanilla].find((lane) => lane?.rounds.length) || null;
}

/** How long the replay is: as long as the slower lane. @param {Picture} picture */
export function longestDuration({ lanes }) {
  return Math.max(0, lanes.vanilla?.duration || 0, lanes.speculative?.duration || 0);
}

/**
 * A first token to look at: the first rejection says most, else the first that was accepted, else anything of a round.
 * @param {Picture} picture @returns {TokenRef | null}
 */
export function firstSelection({ lanes }) {
  const refs = [lanes.speculative, lanes.vanilla]
    .filter((lane) => lane !== null)
    .flatMap(({ name: lane, rounds }) =>
      rounds.flatMap(({ shown }, round) =>
        shown.map(({ role, drafted, emitted }) => ({ role, ref: { lane, round, drafted, emitted } })),
      ),
    );
  const first = (/** @type {string} */ wanted) => refs.find(({ role }) => role === wanted);
  return (first("rejected") ?? first("accepted") ?? refs[0])?.ref ?? null;
}

/**
 * The round that is marked on the timeline: the one that is pointed at, else that of the chosen token.
 * @param {State} state @param {LaneName} [lane] @param {number} [index] what is pointed at
 * @returns {(LaneRound & { index: number, isHovered: boolean }) | null}
 */
export function linkedRound({ picture, selection }, lane, index) {
  const at = index === undefined ? selection : { lane, round: index };
  if (!at?.lane || at.round === undefined) return null;
  const round = picture.lanes[at.lane]?.rounds[at.round];
  return round ? { lane: at.lane, index: at.round, round, isHovered: index !== undefined } : null;
}

/** @param {Picture} picture @param {boolean} asking @returns {Stops} */
export function stopsOf(picture, asking) {
  const lane = steppedLane(picture);
  if (!lane) return { moments: [], steps: [], halts: [] };
  const halts = asking ? questionsOf(lane) : [];
  return { moments: lane.rounds.map(({ end }) => end), steps: stepsOf(lane, halts), halts };
}
