// The phases of a round (draft → verify → decide → emit) and the steps in them, as moments; and where a replay stands.

import { NEAR, rising, upTo } from "../shared/beats.js";

/** @import { Lane, LaneName, Phase, Round } from "../shared/types.js" */
/** @import { Picked, Standing } from "./types.js" */

/** @type {Phase[]} */
export const PHASES = ["draft", "verify", "decide", "emit"];

/** @param {Round} round */
const ofDraft = (round) => round.shown.filter((shown) => shown.drafted !== null);

/**
 * The step at which a phase of a round is seen: all drafted, the pass done, the first decided, the round at its end.
 * @param {Round} round @param {Phase} phase
 * @returns {number | null} none where nothing was drafted
 */
export function phaseEnd(round, phase) {
  if (phase === "verify") return round.verified_at;
  if (phase === "emit") return round.end;
  const drafts = ofDraft(round);
  if (!drafts.length) return null;
  if (phase === "draft") return Math.max(...drafts.map(({ at }) => at));
  return Math.min(...drafts.map(({ decided }) => decided));
}

/** What was drafted of a round and examined, with its verdict. @param {Round} round */
const examined = (round) =>
  ofDraft(round).filter(({ drafted }) => round.drafted[drafted ?? 0].verdict !== "unexamined");

/**
 * The steps of a lane: all drafted, the pass done, one verdict after the other, what the round gives out.
 * @param {Lane} lane @param {number[]} [questions] moments between them
 */
export function stepsOf(lane, questions = []) {
  const own = lane.rounds.flatMap((round) => {
    const verdicts = examined(round).map(({ decided }) => decided);
    return [phaseEnd(round, "draft") ?? 0, round.verified_at, ...verdicts, round.end];
  });
  return rising(questions.length ? [...own, ...questions].sort((a, b) => a - b) : own);
}

/**
 * Where somebody may be asked for the verdict that comes next: half way to it.
 * @param {Lane} lane
 */
export function questionsOf(lane) {
  return lane.rounds.flatMap((round) => {
    const ends = [round.verified_at, ...examined(round).map(({ decided }) => decided)];
    return ends.slice(1).flatMap((end, i) => (end - ends[i] > 4 * NEAR ? [(ends[i] + end) / 2] : []));
  });
}

/**
 * Where a replay stands at time t; at the end of a round in its `emit`, between two verdicts before the later one.
 * @param {Lane} lane @param {number} t
 * @returns {Standing}
 */
export function standing(lane, t) {
  const before = upTo(lane.rounds, t - NEAR, (round) => round.end);
  const round = lane.rounds[Math.min(before, lane.rounds.length - 1)];
  const drafts = ofDraft(round);
  const tested = examined(round);
  const decided = tested.filter((shown) => shown.decided <= t + NEAR).length;
  const drafted = drafts.filter((shown) => shown.at <= t + NEAR).length;
  /** @type {Phase} */
  let phase = "decide";
  if (t + NEAR < round.drafted_at && drafts.length) phase = "draft";
  else if (t + NEAR >= round.decided_at) phase = "emit";
  else if (!drafts.length || (!decided && t <= round.verified_at + NEAR)) phase = "verify";
  const between = phase === "decide" && decided < tested.length;
  const passed = !decided || Math.abs(tested[decided - 1].decided - t) > NEAR;
  return { round, phase, drafted, decided, next: between && passed ? decided : null, over: t > lane.duration + NEAR };
}

/**
 * The token that a step is about: what was drafted last, the first of the block that was checked, what was decided or
 * is next, what came out.
 * @param {Standing} standing @param {LaneName} lane
 * @returns {Picked | null}
 */
export function tokenOfStep({ round, phase, drafted, decided, next }, lane) {
  const drafts = ofDraft(round);
  const shown = {
    draft: drafts[drafted - 1],
    verify: drafts[0],
    decide: drafts[next ?? Math.max(0, decided - 1)],
    emit:
      round.shown.findLast((each) => each.drafted === null) ?? round.shown.findLast((each) => each.emitted !== null),
  }[phase];
  return shown ? { lane, round: round.index, drafted: shown.drafted, emitted: shown.emitted } : null;
}
