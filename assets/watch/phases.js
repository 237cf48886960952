// The phases of a round (draft → verify → decide → emit), as moments, and in words where a replay stands in them.

import { rising, upTo } from "../shared/beats.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Config, Lane, Phase, Round } from "../shared/types.js" */
/** @import { Standing } from "./types.js" */

/** @type {Phase[]} */
export const PHASES = ["draft", "verify", "decide", "emit"];

/** @param {Round} round */
const ofDraft = (round) => round.shown.filter((shown) => shown.drafted !== null);

/**
 * The moment at which a phase of a round is seen whole: all drafted, the pass done, all decided, the round at its end.
 * @param {Round} round @param {Phase} phase
 * @returns {number | null} none where nothing was drafted
 */
export function phaseEnd(round, phase) {
  if (phase === "verify") return round.verified_at;
  if (phase === "emit") return round.end;
  const drafts = ofDraft(round);
  if (!drafts.length) return null;
  return Math.max(...drafts.map((shown) => (phase === "draft" ? shown.at : shown.decided)));
}

/** The ends of all phases. @param {Lane} lane */
export function phaseStops(lane) {
  const ends = lane.rounds.flatMap((round) => PHASES.map((phase) => phaseEnd(round, phase)));
  return rising(ends.filter((t) => t !== null));
}

/**
 * Every moment at which something is seen to happen: a ghost, the block lit, a verdict, what follows the block. Where
 * the other
 * lane goes on longer, its tokens too.
 * @param {Lane} lane @param {Lane | null} other
 */
export function beatsOf(lane, other) {
  const own = lane.rounds.flatMap((round) => {
    const drafts = ofDraft(round);
    const lit = drafts.length ? [round.drafted_at] : [];
    return [...drafts.map(({ at }) => at), ...lit, ...drafts.map(({ decided }) => decided), round.decided_at];
  });
  const late = other ? other.rounds.map((round) => round.decided_at).filter((t) => t > lane.duration) : [];
  return rising([...own, ...late, Math.max(lane.duration, other ? other.duration : 0)]);
}

/**
 * Where a replay stands at time t; at the end of a round in its `emit`.
 * @param {Lane} lane @param {number} t
 * @returns {Standing}
 */
export function standing(lane, t) {
  const before = upTo(lane.rounds, t - 1e-6, (round) => round.end);
  const round = lane.rounds[Math.min(before, lane.rounds.length - 1)];
  const drafts = ofDraft(round);
  const first = drafts.length ? Math.min(...drafts.map((shown) => shown.decided)) : round.decided_at;
  const near = t + 1e-6;
  /** @type {Phase} */
  let phase = "emit";
  if (near < round.drafted_at && drafts.length) phase = "draft";
  else if (near < first) phase = "verify";
  else if (near < round.decided_at) phase = "decide";
  return { round, phase, drafted: drafts.filter((shown) => shown.at <= near).length, over: t > lane.duration + 1e-6 };
}

/**
 * One line on what happens now.
 * @param {Standing} standing @param {Config} config
 */
export function standingLine({ round, phase, drafted, over }, config) {
  if (over) return plain("at_over", { rounds: round.index + 1 });
  const n = round.drafted.length;
  const kept = round.emitted.filter((e) => e.role === "accepted").length;
  const last = round.emitted.find((e) => e.role !== "accepted");
  const rule = config.greedy ? "_greedy" : config.verifier === "match" ? "_match" : "";
  const key = {
    draft: "at_draft",
    verify: n > 1 ? "at_verify" : n ? "at_verify_one" : "at_pass",
    decide: `at_decide${rule}`,
    emit: `at_emit_${last ? last.role : "ended"}`,
  }[phase];
  const what = plain(key, { n, i: drafted, kept, out: round.emitted.length });
  return plain("at", { round: round.index + 1, phase: WORDS[`phase_${phase}`], what });
}
