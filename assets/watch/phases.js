// The phases of a round (draft → verify → decide → emit) and the steps in them, as moments; where a replay stands, and
// how much of a token has happened there: no panel shows what has not.

import { phaseAt } from "../round/moment.js";
import { NEAR_MS, rising, upTo } from "../shared/clock.js";
import { momentsOf } from "../shared/tree.js";
import { examinedNodes } from "../trace/tree.js";
import { draftedRef } from "./places.js";

/** @import { Lane, LaneName, Phase, Round, Picture } from "../shared/types.js" */
/** @import { TokenRef, ReplayStep, RevealStage } from "./types.js" */

/** @type {Phase[]} */
export const PHASES = ["draft", "verify", "decide", "emit"];

/** When each drafted token was drawn. @param {Round} round */
const draftTimes = (round) => round.drafted.map((_, i) => momentsOf(round, i).at);

/** When each verdict fell, in the order of the walk. @param {Round} round */
const verdictTimes = (round) => examinedNodes(round.drafted).map((i) => momentsOf(round, i).decided);

/**
 * The step at which a phase of a round is seen: all drafted, the pass done, the first decided, the round at its end.
 * @param {Round} round @param {Phase} phase @returns {number | null} none where nothing was drafted
 */
export function phaseEnd(round, phase) {
  if (phase === "verify") return round.verified_at;
  if (phase === "emit") return round.end;
  if (!round.drafted.length) return null;
  if (phase === "draft") return Math.max(...draftTimes(round));
  return Math.min(...round.drafted.map((_, i) => momentsOf(round, i).decided));
}

/**
 * The steps of a lane: all drafted, the pass done, one verdict after the other, what the round gives out.
 * @param {Lane} lane @param {number[]} [questions] moments between them
 */
export function stepsOf(lane, questions = []) {
  const moments = lane.rounds.flatMap((round) => {
    return [phaseEnd(round, "draft") ?? 0, round.verified_at, ...verdictTimes(round), round.end];
  });
  return rising(questions.length ? [...moments, ...questions].sort((a, b) => a - b) : moments);
}

/** Where somebody may be asked for the verdict that comes next: half way to it. @param {Lane} lane */
export function questionsOf(lane) {
  return lane.rounds.flatMap((round) => {
    const ends = [round.verified_at, ...verdictTimes(round)];
    return ends.slice(1).flatMap((end, i) => (end - ends[i] > 4 * NEAR_MS ? [(ends[i] + end) / 2] : []));
  });
}

/**
 * Where a replay stands at time t; at the end of a round in its `emit`, between two verdicts before the later one.
 * @param {Lane} lane @param {number} t @returns {ReplayStep}
 */
export function stepAt(lane, t) {
  const before = upTo(lane.rounds, t - NEAR_MS, (round) => round.end);
  const round = lane.rounds[Math.min(before, lane.rounds.length - 1)];
  const examined = examinedNodes(round.drafted);
  const times = verdictTimes(round);
  const decided = times.filter((at) => at <= t + NEAR_MS).length;
  const drafted = draftTimes(round).filter((at) => at <= t + NEAR_MS).length;
  const phase = phaseAt(round, t);
  const isDeciding = phase === "decide" && decided < examined.length;
  const isPast = !decided || Math.abs(times[decided - 1] - t) > NEAR_MS;
  const [last, next] = [examined[decided - 1] ?? null, isDeciding && isPast ? examined[decided] : null];
  return { round, phase, drafted, decided, last, next, over: t > lane.duration + NEAR_MS };
}

/**
 * The token that a step is about: what was drafted last, the first of the block that was checked, what was decided or
 * is next, what came out.
 * @param {ReplayStep} step @param {LaneName} lane @returns {TokenRef | null}
 */
export function tokenOfStep({ round, phase, drafted, last, next }, lane) {
  const { shown } = round;
  if (phase === "emit") {
    const token = shown.findLast((each) => each.drafted === null) ?? shown.findLast((each) => each.emitted !== null);
    return token ? { lane, round: round.index, drafted: token.drafted, emitted: token.emitted } : null;
  }
  const i = { draft: drafted - 1, verify: 0, decide: next ?? last ?? 0 }[phase];
  return round.drafted[i] ? draftedRef(round, i, lane) : null;
}

/**
 * @param {Picture} picture @param {TokenRef | null} ref @param {number} t
 * @param {boolean} [asking] somebody is asked for verdicts: where p alone would tell, it is not yet known
 * @returns {RevealStage}
 */
export function revealStage({ header, lanes }, ref, t, asking = false) {
  if (!ref) return "";
  if (ref.round === undefined) return "out";
  const round = lanes[ref.lane]?.rounds[ref.round];
  const moments = round && tokenMoments(round, ref);
  if (!round || !moments || t + NEAR_MS < moments.at) return "";
  if (t + NEAR_MS >= round.decided_at) return "out";
  if (t + NEAR_MS >= moments.decided) return "decided";
  return t + NEAR_MS < round.verified_at || (asking && header.config.greedy) ? "drafted" : "checked";
}

/** @param {Round} round @param {TokenRef} ref */
function tokenMoments(round, { drafted, emitted }) {
  if (drafted !== null) return round.drafted[drafted] ? momentsOf(round, drafted) : null;
  return round.shown.find((each) => each.drafted === null && each.emitted === emitted) ?? null;
}
