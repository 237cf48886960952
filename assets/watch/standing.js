// In words: what happens where a replay stands.

import { say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { WORDS } from "../shared/words.js";
import { branches } from "../trace/tree.js";

/** @import { Config, Drafted } from "../shared/types.js" */
/** @import { Standing } from "./types.js" */

/** One line. @param {Standing} standing @param {Config} config @param {boolean} asking the next verdict is asked for */
export function standingLine({ round, phase, drafted, last: fell, next, over }, config, asking) {
  if (over) return say("at_over", { rounds: round.index + 1 });
  const n = round.drafted.length;
  const kept = round.emitted.filter((e) => e.role === "accepted").length;
  const last = round.emitted.find((e) => e.role !== "accepted");
  const at = say("at", { round: round.index + 1, phase: WORDS[`phase_${phase}`] });
  if (phase === "decide" && asking && next !== null) {
    return [...at, ...say("at_asked", { x: chip(round.drafted[next].token), i: next + 1, n })];
  }
  if (phase === "decide") return [...at, ...(fell === null ? say("at_decide") : verdict(round.drafted[fell], config))];
  const key = {
    draft: "at_draft",
    verify: n ? "at_verify" : "at_pass",
    emit: `at_emit_${last ? last.role : "ended"}${last?.role === "bonus" && branches(round) ? "_tree" : ""}`,
  }[phase];
  return [...at, ...say(key, { n, i: drafted, kept, out: round.emitted.length })];
}

/** @param {Drafted} drafted @param {Config} config */
function verdict({ token, verdict, void: forbidden }, { greedy, verifier }) {
  if (forbidden) return say("at_void", { x: chip(token) });
  const rule = greedy ? "_greedy" : verifier === "match" ? "_match" : "";
  const key = verdict === "accepted" ? "at_kept" : "at_rejected";
  return say(`${key}${rule}`, { x: chip(token) });
}
