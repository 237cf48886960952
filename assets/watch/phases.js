// The phases of a round (draft → verify → decide → emit) and the steps in them, as moments; and where a replay stands.

import { phaseAt } from "../round/moment.js";
import { NEAR, rising, upTo } from "../shared/beats.js";
import { momentsOf } from "../shared/tree.js";
import { examinedNodes } from "../trace/tree.js";
import { pickedOf } from "./places.js";

/** @import { Lane, LaneName, Phase, Round } from "../shared/types.js" */
/** @import { Picked, Standing } from "./types.js" */

/** @type {Phase[]} */
export const PHASES = ["draft", "verify", "decide", "emit"];

/** When each drafted token was drawn. @param {Round} round */
const drawnAt = (round) => round.drafted.map((_, i) => momentsOf(round, i).at);

/** When each verdict fell, in the order of the walk. @param {Round} round */
const fellAt = (round) => examinedNodes(round.drafted).map((i) => momentsOf(round, i).decided);

/**
 * The step at which a phase of a round is seen: all drafted, the pass done, the first decided, the round at its end.
 * @param {Round} round @param {Phase} phase @returns {number | null} none where nothing was drafted
 */
export function phaseEnd(round, phase) {
  if (phase === "verify") return round.verified_at;
  if (phase === "emit") return round.end;
  if (!round.drafted.length) return null;
  if (phase === "draft") return Math.max(...drawnAt(round));
  return Math.min(...round.drafted.map((_, i) => momentsOf(round, i).decided));
}

/**
 * The steps of a lane: all drafted, the pass done, one verdict after the other, what the round gives out.
 * @param {Lane} lane @param {number[]} [questions] moments between them
 */
export function stepsOf(lane, questions = []) {
  const own = lane.rounds.flatMap((round) => {
    return [phaseEnd(round, "draft") ?? 0, round.verified_at, ...fellAt(round), round.end];
  });
  return rising(questions.length ? [...own, ...questions].sort((a, b) => a - b) : own);
}

/** Where somebody may be asked for the verdict that comes next: half way to it. @param {Lane} lane */
export function questionsOf(lane) {
  return lane.rounds.flatMap((round) => {
    const ends = [round.verified_at, ...fellAt(round)];
    return ends.slice(1).flatMap((end, i) => (end - ends[i] > 4 * NEAR ? [(ends[i] + end) / 2] : []));
  });
}

/**
 * Where a replay stands at time t; at the end of a round in its `emit`, between two verdicts before the later one.
 * @param {Lane} lane @param {number} t @returns {Standing}
 */
export function stepAt(lane, t) {
  const before = upTo(lane.rounds, t - NEAR, (round) => round.end);
  const round = lane.rounds[Math.min(before, lane.rounds.length - 1)];
  const walk = examinedNodes(round.drafted);
  const fallen = fellAt(round);
  const decided = fallen.filter((at) => at <= t + NEAR).length;
  const drafted = drawnAt(round).filter((at) => at <= t + NEAR).length;
  const phase = phaseAt(round, t);
  const between = phase === "decide" && decided < walk.length;
  const passed = !decided || Math.abs(fallen[decided - 1] - t) > NEAR;
  const [last, next] = [walk[decided - 1] ?? null, between && passed ? walk[decided] : null];
  return { round, phase, drafted, decided, last, next, over: t > lane.duration + NEAR };
}

/**
 * The token that a step is about: what was drafted last, the first of the block that was checked, what was decided or
 * is next, what came out.
 * @param {Standing} standing @param {LaneName} lane @returns {Picked | null}
 */
export function tokenOfStep({ round, phase, drafted, last, next }, lane) {
  const { shown } = round;
  if (phase === "emit") {
    const out = shown.findLast((each) => each.drafted === null) ?? shown.findLast((each) => each.emitted !== null);
    return out ? { lane, round: round.index, drafted: out.drafted, emitted: out.emitted } : null;
  }
  const i = { draft: drafted - 1, verify: 0, decide: next ?? last ?? 0 }[phase];
  return round.drafted[i] ? pickedOf(round, i, lane) : null;
}
