// The steppers, unfolded by whoever steps: a round or a step on or back, or straight to a phase of this round; and a
// line on where the replay stands.

import { plainButton } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { phrase, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { WORDS, wordOf } from "../shared/words.js";
import { branches } from "../trace/tree.js";
import { PHASES, phaseEnd } from "./phases.js";

/** @import { Clock, Config, Drafted, Lane, Phase } from "../shared/types.js" */
/** @import { ReplayStep } from "./types.js" */

/**
 * @param {Clock} clock @param {Lane} lane the one that is stepped through @param {Config} config
 * @param {HTMLElement} restart
 */
export function makeSteps(clock, lane, config, restart) {
  /** @type {ReplayStep | null} */
  let current = null;
  let wasAsking = false;
  /** @type {boolean | null} */
  let isQuiet = null;
  const jumps = PHASES.map((phase) => phaseButton(phase, clock, () => current));
  const round = el("span.sv-step-name");
  const line = el("p.sv-at");
  const rounds = [arrow(clock, -1, "round_back", "←"), arrow(clock, 1, "round_on", "→")];
  const phases = [
    arrow(clock, -1, "step_back", "Shift ←", true),
    ...jumps,
    arrow(clock, 1, "step_on", "Shift →", true),
  ];
  const stepper = (/** @type {HTMLElement[]} */ own) =>
    el("span.sv-stepper", { role: "group", "aria-label": WORDS.steps }, own);
  const inside = el("div.sv-flow", null, stepper(rounds), stepper(phases), restart);
  const root = fold("steps", "sv-steps.sv-flow", round, [inside]);

  function move(/** @type {ReplayStep} */ at, /** @type {boolean} */ asking) {
    if (isQuiet !== clock.playing) {
      isQuiet = clock.playing;
      line.setAttribute("aria-live", isQuiet ? "off" : "polite"); // read out where somebody steps
    }
    if (current && sameStep(at, current) && wasAsking === asking) return;
    current = at;
    wasAsking = asking;
    setText(round, plain("round_of", { round: at.round.index + 1, rounds: lane.rounds.length }));
    line.replaceChildren(...stepLine(at, config, asking));
    for (const [i, button] of jumps.entries()) {
      button.setAttribute("aria-pressed", String(PHASES[i] === at.phase));
      // not disabled: it keeps its focus
      button.setAttribute("aria-disabled", String(phaseEnd(at.round, PHASES[i]) === null));
    }
  }
  /** Until something changes. @param {Node[]} nodes */
  const showSentence = (nodes) => line.replaceChildren(...nodes);
  return { root, line, move, showSentence };
}

/** @param {ReplayStep} a @param {ReplayStep} b */
export function sameStep(a, b) {
  const keys = /** @type {(keyof ReplayStep)[]} */ (["round", "phase", "drafted", "decided", "last", "next", "over"]);
  return keys.every((key) => a[key] === b[key]);
}

/** @param {Clock} clock @param {1 | -1} way @param {string} word @param {string} key @param {boolean} [fine] */
function arrow(clock, way, word, key, fine) {
  const title = plain("with_key", { what: wordOf(word), key });
  const step = () => clock.step(way, fine);
  return plainButton("button.sv-step", { "aria-label": wordOf(word), title }, step, way > 0 ? "›" : "‹");
}

/** @param {Phase} phase @param {Clock} clock @param {() => ReplayStep | null} now */
function phaseButton(phase, clock, now) {
  const act = () => {
    const at = now();
    const t = at && phaseEnd(at.round, phase);
    if (t !== null) clock.stopAt(t);
  };
  return plainButton("button.sv-phase", { "data-series": phase }, act, WORDS[`phase_${phase}`]);
}

/** One line. @param {ReplayStep} step @param {Config} config @param {boolean} asking the next verdict is asked for */
function stepLine({ round, phase, drafted, last: fell, next, over }, config, asking) {
  if (over) return phrase("at_over", { rounds: round.index + 1 });
  const n = round.drafted.length;
  const accepted = round.emitted.filter((e) => e.role === "accepted").length;
  const last = round.emitted.find((e) => e.role !== "accepted");
  const at = phrase("at", { round: round.index + 1, phase: WORDS[`phase_${phase}`] });
  if (phase === "decide" && asking && next !== null) {
    return [...at, ...phrase("at_asked", { x: chip(round.drafted[next].token), i: next + 1, n })];
  }
  if (phase === "decide")
    return [...at, ...(fell === null ? phrase("at_decide") : verdictSentence(round.drafted[fell], config))];
  const key = {
    draft: "at_draft",
    verify: n ? "at_verify" : "at_pass",
    emit: `at_emit_${last ? last.role : "ended"}${last?.role === "bonus" && branches(round) ? "_tree" : ""}`,
  }[phase];
  return [...at, ...phrase(key, { n, i: drafted, kept: accepted, out: round.emitted.length })];
}

/** @param {Drafted} drafted @param {Config} config */
function verdictSentence({ token, verdict, void: forbidden }, { greedy, verifier }) {
  if (forbidden) return phrase("at_void", { x: chip(token) });
  const rule = greedy ? "_greedy" : verifier === "match" ? "_match" : "";
  const key = verdict === "accepted" ? "at_kept" : "at_rejected";
  return phrase(`${key}${rule}`, { x: chip(token) });
}
