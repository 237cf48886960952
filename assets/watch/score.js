// A lane's score: what happens to which token when, in order, to be read forwards and backwards.

/** @import { Lane } from "../shared/types.js" */
/** @import { Change, Score } from "./types.js" */

/**
 * A draft token is drafted, then verified with its whole block, then gets its role; what follows a block comes with its
 * role. Tokens are counted through the lane's text, the prompt's first.
 * @param {Lane} lane @returns {Score}
 */
export function scoreOf(lane) {
  /** @type {Score} */
  const score = { changes: [], tokensAt: [], passesAt: [] };
  let token = lane.prompt.length;
  for (const round of lane.rounds) {
    score.passesAt.push([round.verified_at, round.target_forwards]);
    for (const shown of round.shown) {
      if (shown.drafted === null) score.changes.push({ at: shown.at, token, from: "", to: shown.role });
      else {
        /** @type {Change[]} */
        const steps = [
          { at: shown.at, token, from: "", to: "drafted" },
          { at: round.drafted_at, token, from: "drafted", to: "verified" },
          { at: shown.decided, token, from: "verified", to: shown.role },
        ];
        score.changes.push(...steps);
      }
      if (shown.emitted !== null) score.tokensAt.push(shown.decided);
      token += 1;
    }
  }
  score.changes.sort((a, b) => a.at - b.at);
  score.tokensAt.sort((a, b) => a - b);
  return score;
}
