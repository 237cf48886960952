// A drafted block as a picture holds it: when its tokens were drawn and tested, what u was held against, and what was
// replaced.

import { branches, children, endOfPath } from "../trace/tree.js";

/** @import { Round, Config, Drafted } from "./types.js" */

/** Whether one pass of the draft made several tokens: then they are there at the same moment, if times are told.
 * @param {Round} round */
export function madeAtOnce(round) {
  const moments = new Set(round.drafted.map((_, i) => momentsOf(round, i).at));
  return round.drafted.length > 1 && !branches(round) && moments.size === 1 && !moments.has(round.start);
}

/** The token that is replaced at the end of a round: of siblings the last that was rejected. @param {Round} round */
export function lastRejected({ drafted }) {
  const at = children(drafted)[endOfPath(drafted) + 1].findLast((i) => drafted[i].verdict === "rejected");
  return at === undefined ? null : drafted[at];
}

/**
 * When a drafted token was drawn, and when its verdict fell. Of a tree each token says it, of a chain its span.
 * @param {Round} round @param {number} i @returns {{ at: number, decided: number }}
 */
export function momentsOf({ drafted, shown, end }, i) {
  const { at, decided } = drafted[i];
  if (at !== undefined && decided !== undefined) return { at, decided };
  return shown.find((span) => span.drafted === i) ?? { at: end, decided: end };
}

/**
 * p/q, divided by θ of an accept threshold, or under block verification the chance to keep the block up to here. Where
 * q is 0 any u keeps the token.
 * @param {Pick<Drafted, "ratio" | "chance">} drafted @param {Pick<Config, "verifier" | "theta">} [config]
 */
export function limitOf({ ratio, chance }, config) {
  if (config?.verifier === "block" && chance !== null && chance !== undefined) return chance;
  return (ratio ?? Number.POSITIVE_INFINITY) / (config?.verifier === "threshold" ? config.theta : 1);
}
