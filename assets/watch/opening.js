// Where somebody begins to look: before a rejection that shows the most.

import { phrase } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { lastRejected } from "../shared/tree.js";
import { phaseEnd, stepAt } from "./phases.js";

/** @import { Lane, Round } from "../shared/types.js" */
/** @import { Race } from "./types.js" */

/** Whether some of a round's block stays and some does not. @param {Round} round */
const hasBothVerdicts = ({ drafted }) =>
  drafted.some(({ verdict }) => verdict === "accepted") && drafted.some(({ verdict }) => verdict === "rejected");

/**
 * A round in which a token stays, and the next is rejected and replaced; else one of several that are rejected at once.
 * @param {Lane | null} lane @returns {Round | null}
 */
export function instructiveRound(lane) {
  const rejections = (lane?.rounds ?? []).filter(
    ({ drafted, emitted }) => drafted.length > 1 && emitted.some(({ role }) => role === "corrected"),
  );
  return rejections.find(hasBothVerdicts) ?? rejections[0] ?? null;
}

/** With one line on what comes. @param {Race} race @param {Round} round */
export function seekBeforeRejection({ state, screen }, round) {
  const rejected = lastRejected(round);
  const corrected = round.emitted.find(({ role }) => role === "corrected");
  state?.clock.seek(phaseEnd(round, "draft") ?? 0);
  if (!rejected || !corrected) return;
  const values = { x: chip(rejected.token), y: chip(corrected.token) };
  screen?.steps?.showSentence(phrase("opening", values));
}

/**
 * The first question later than `from`, if there is one in a round whose verdicts differ: where all are kept there is
 * little to predict.
 * @param {Lane | null} lane @param {number[]} questions @param {number} from
 */
export function firstQuestion(lane, questions, from) {
  const later = questions.filter((t) => t > from);
  return later.find((t) => lane && hasBothVerdicts(stepAt(lane, t).round)) ?? later[0];
}
