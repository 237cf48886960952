// Where the replay of a picture stops: at the ends of rounds, at each step of a round, and before a verdict that
// somebody is asked for.

import { questionsOf, stepsOf } from "./phases.js";
import { steppedLane } from "./state.js";

/** @import { Picture, Stops } from "../shared/types.js" */

/** @param {Picture} picture @param {boolean} asking @returns {Stops} */
export function stopsOf(picture, asking) {
  const lane = steppedLane(picture);
  if (!lane) return { moments: [], steps: [], halts: [] };
  const halts = asking ? questionsOf(lane) : [];
  return { moments: lane.rounds.map(({ end }) => end), steps: stepsOf(lane, halts), halts };
}
