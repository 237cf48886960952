// How much of a token has happened at a moment of the replay: no panel shows what has not.

import { NEAR } from "../shared/beats.js";
import { momentsOf } from "../shared/tree.js";

/** @import { Picture, Round } from "../shared/types.js" */
/** @import { Known, Picked } from "./types.js" */

/**
 * @param {Picture} picture @param {Picked | null} picked @param {number} t
 * @param {boolean} [asking] somebody is asked for verdicts: where p alone would tell, it is not yet known
 * @returns {Known}
 */
export function revealStage({ header, lanes }, picked, t, asking = false) {
  if (!picked) return "";
  if (picked.round === undefined) return "out";
  const round = lanes[picked.lane]?.rounds[picked.round];
  const when = round && momentsIn(round, picked);
  if (!round || !when || t + NEAR < when.at) return "";
  if (t + NEAR >= round.decided_at) return "out";
  if (t + NEAR >= when.decided) return "decided";
  return t + NEAR < round.verified_at || (asking && header.config.greedy) ? "drafted" : "checked";
}

/** @param {Round} round @param {Picked} picked */
function momentsIn(round, { drafted, emitted }) {
  if (drafted !== null) return round.drafted[drafted] ? momentsOf(round, drafted) : null;
  return round.shown.find((each) => each.drafted === null && each.emitted === emitted) ?? null;
}
