// A drafted block as a picture holds it: who follows whom, in which order its tokens are tested, and when. A chain is
// the tree in which each token has one child.

/** @import { Round } from "./types.js" */

/** Whether a round drafted a tree. @param {Pick<Round, "drafted">} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => parent !== undefined);

/** Whether one pass of the draft made several tokens: then they are there at the same moment, if times are told.
 * @param {Round} round */
export function madeAtOnce(round) {
  const moments = new Set(round.drafted.map((_, i) => momentsOf(round, i).at));
  return round.drafted.length > 1 && !branches(round) && moments.size === 1 && !moments.has(round.start);
}

/** Of each token the one that it follows, −1 for the text. @param {Pick<Round, "drafted">} round */
export const parentsOf = ({ drafted }) => drafted.map(({ parent }, i) => parent ?? i - 1);

/** Of the text, then of each token, those that follow it, by rank. @param {Pick<Round, "drafted">} round */
export function childrenOf(round) {
  /** @type {number[][]} */
  const below = Array.from({ length: round.drafted.length + 1 }, () => []);
  for (const [i, parent] of parentsOf(round).entries()) below[parent + 1].push(i);
  for (const some of below) some.sort((a, b) => (round.drafted[a].rank ?? 0) - (round.drafted[b].rank ?? 0));
  return below;
}

/** Where the path that stays ends, −1 at the text. @param {Pick<Round, "drafted">} round */
export const endOfPath = ({ drafted }) => drafted.findLastIndex(({ verdict }) => verdict === "accepted");

/** The token that is replaced at the end of a round: of siblings the last that was rejected. @param {Round} round */
export function lastRejected(round) {
  const end = endOfPath(round);
  const at = childrenOf(round)[end + 1].findLast((i) => round.drafted[i].verdict === "rejected");
  return at === undefined ? null : round.drafted[at];
}

/**
 * The tokens that were examined, in the order of the walk: siblings by rank, then the children of the one that stayed.
 * @param {Pick<Round, "drafted">} round
 */
export function walkOf(round) {
  const below = childrenOf(round);
  /** @type {number[]} */
  const found = [];
  for (let at = -1; at < 0 || round.drafted[at].verdict === "accepted"; at = found[found.length - 1]) {
    const here = below[at + 1].filter((i) => round.drafted[i].verdict !== "unexamined");
    if (!here.length) break;
    found.push(...here);
  }
  return found;
}

/**
 * When a drafted token was drawn, and when its verdict fell. Of a tree each token says it, of a chain its span.
 * @param {Round} round @param {number} i
 * @returns {{ at: number, decided: number }}
 */
export function momentsOf({ drafted, shown, end }, i) {
  const { at, decided } = drafted[i];
  if (at !== undefined && decided !== undefined) return { at, decided };
  return shown.find((span) => span.drafted === i) ?? { at: end, decided: end };
}
