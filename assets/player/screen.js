// Draws a picture: both lanes, the player's controls, the phases of a round as buttons with one line on where the replay
// stands, the signs, the round, the inspector and the numbers; and brings all of it to a moment.

import { branches, LANES } from "../trace/events.js";
import { BEAT_MS, beforeRound, PHASES, phaseEnd, revealStage, SLOW, STEPWISE, stepAt, tokenOfStep } from "./clock.js";
import { button, chip, el, plainButton, select, setText, writeStored } from "./dom.js";
import { buildLane, hardnessNote, moveLane, moveTabStop, scrollToStart, shades } from "./lane.js";
import { bytesOf, drawNumbers, headline } from "./numbers.js";
import { fold } from "./page.js";
import {
  firstQuestion,
  isProjecting,
  loadInspection,
  projectorButton,
  selectToken,
  stopsOf,
  updateInspector,
} from "./selection.js";
import { number, percent, phrase, plain, ROLES, WORDS, wordOf } from "./words.js";

/** @import { Bar, Clock, Config, Drafted, Lane, Predict, Race } from "../shared/types.js" */
/** @import { ReplayStep, RoundView, Screen, Slow, State, TokenSpan } from "../shared/types.js" */

// The four signs of a verdict on one line, and whether struck guesses stay in the text at the end; folded, the other
// signs and what else is said of the replay.

const SIGNS = ["accepted", "rejected", "corrected", "bonus"];
const OTHERS = ["prompt", "drafted", "verify", "unexamined", "plain"];

/** @typedef {{ word: string, on: boolean, change: (on: boolean) => void }} Switch */

/** @param {Pick<import("../shared/types.js").Config, "K" | "grammar">} config @param {Switch} struck
 * @param {() => HTMLElement[]} more */
function legend({ K, grammar }, struck, more) {
  const signs = K > 0 ? SIGNS : ["prompt", "plain"];
  const others = K > 0 ? [...OTHERS, ...(grammar ? ["void"] : [])] : [];
  return el(
    "div.sv-legend.sv-flow",
    null,
    list(signs),
    K > 0 ? box(struck) : null,
    el("p.sv-invite", null, WORDS.choose),
    fold("legend", "sv-signs", WORDS.legend, () => [list(others), ...more()]),
  );
}

/** @param {string[]} names */
function list(names) {
  const roles = names.map((name) => {
    const { role, glyph, word } = lookOf(name);
    const look = { "data-role": role, "data-phase": name === "verify" ? name : null, "aria-hidden": "true" };
    return el("li", null, el("span.sv-token", look, glyph), " ", word);
  });
  return el("ul.sv-flow", null, roles);
}

/** @param {Switch} own */
function box({ word, on, change }) {
  const input = el("input", { type: "checkbox", "data-switch": word });
  input.checked = on;
  input.addEventListener("change", () => change(input.checked));
  return el("label.sv-hide", null, input, " ", wordOf(word));
}

/** A role; or what none is: a draft in the pass, and one that a grammar forbids. @param {string} name */
function lookOf(name) {
  if (name === "verify") return { role: "drafted", glyph: ROLES.drafted.glyph, word: WORDS.verifying };
  if (name === "void") return { role: "rejected", glyph: WORDS.void_sign, word: WORDS.void_word };
  return { role: name, ...ROLES[name] };
}

/** @typedef {"wall" | "processor" | null} TimedBy */

/** @param {Clock} clock @param {TimedBy} timed by which clock; null: its milliseconds are not shown
 * @param {(slow: Slow) => void} onSpeed a speed was */
export function makeBar(clock, timed, onSpeed) {
  const play = button("", clock.toggle, { class: "sv-first sv-play" });
  const restart = button(WORDS.restart, () => {
    clock.seek(0);
    clock.play();
  });
  const time = { type: "range", min: 0, max: clock.duration, step: "any", "aria-label": WORDS.scrub };
  const scrub = el("input.sv-scrub", time);
  const replayTime = el("span.sv-takes");
  // one is shown, both keep their place
  const arrowKeys = el("span");
  const keys = el("span.sv-keys", null, arrowKeys, el("span", null, WORDS.keys_token));
  const updateTexts = () => {
    const { slow, duration } = clock;
    const numbers = { ms: number(duration, 0), seconds: number((duration * Number(slow)) / 1000, 1) };
    const takes = timed ? plain(timed === "wall" ? "takes" : "takes_processor", numbers) : WORDS.takes_busy;
    setText(replayTime, slow === STEPWISE ? plain("takes_step", { seconds: number(BEAT_MS / 1000, 1) }) : takes);
    setText(arrowKeys, WORDS[slow === STEPWISE ? "keys_step" : "keys"]);
  };
  const setSpeed = (/** @type {Slow} */ slow) => {
    clock.slow = slow;
    onSpeed(slow);
    updateTexts();
    // at the end nothing is left to step through
    if (slow === STEPWISE && !clock.playing && clock.t >= clock.duration) clock.stopAt(0);
  };
  const options = [...SLOW, STEPWISE].map((slow) => /** @type {[Slow, string]} */ ([slow, wordOf(`speed_${slow}`)]));
  const speeds = select(options, { "aria-label": WORDS.speed }, clock.slow);
  speeds.classList.add("sv-speed");
  // whoever chose by hand goes on with the arrows of the player; whoever chose by keys, with those of the choice
  let byPointer = false;
  speeds.addEventListener("pointerdown", () => {
    byPointer = true;
  });
  speeds.addEventListener("change", () => {
    setSpeed(speeds.value === STEPWISE ? STEPWISE : Number(speeds.value));
    if (byPointer) play.focus({ preventScroll: true });
    byPointer = false;
  });
  scrub.addEventListener("input", () => {
    const moment = Number(scrub.value); // read first: pausing paints, and painting moves the scrubber
    clock.pause();
    clock.seek(moment);
  });
  updateTexts();
  return {
    root: el("div.sv-bar.sv-flow", { role: "group" }, play, scrub, speeds),
    play,
    restart,
    scrub,
    takes: replayTime,
    keys,
    timed,
  };
}

/** @param {Bar} bar @param {Clock} clock */
function moveBar(bar, { t, duration, playing }) {
  setText(bar.play, playing ? WORDS.pause : WORDS.play);
  bar.scrub.value = String(t);
  if (playing) return;
  const where = bar.timed ? plain("clock", { now: number(t, 0), whole: number(duration, 0) }) : percent(t / duration);
  bar.scrub.setAttribute("aria-valuetext", where);
}

/** @param {Clock} clock @param {Lane} lane the one that is stepped through @param {Config} config
 * @param {HTMLElement} restart */
export function makeSteps(clock, lane, config, restart) {
  /** @type {ReplayStep | null} */
  let current = null;
  let wasAsking = false;
  /** @type {boolean | null} */
  let isQuiet = null;
  const jumps = PHASES.map((phase) => {
    const act = () => {
      const t = current && phaseEnd(current.round, phase);
      if (t !== null) clock.stopAt(t);
    };
    return plainButton("button.sv-phase", { "data-series": phase }, act, WORDS[`phase_${phase}`]);
  });
  const round = el("span.sv-step-name");
  const line = el("p.sv-at");
  const rounds = [arrow(clock, -1, "round_back", "←"), arrow(clock, 1, "round_on", "→")];
  const phases = [arrow(clock, -1, "step_back", "Shift ←", true), ...jumps, arrow(clock, 1, "step_on", "Shift →", true)];
  const stepper = (/** @type {HTMLElement[]} */ own) => el("span.sv-stepper", { role: "group", "aria-label": WORDS.steps }, own);
  const inside = el("div.sv-flow", null, stepper(rounds), stepper(phases), restart);
  const root = fold("steps", "sv-steps.sv-flow", round, () => [inside]);

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
function sameStep(a, b) {
  const keys = /** @type {(keyof ReplayStep)[]} */ (["round", "phase", "drafted", "decided", "last", "next", "over"]);
  return keys.every((key) => a[key] === b[key]);
}

/** @param {Clock} clock @param {1 | -1} way @param {string} word @param {string} key @param {boolean} [fine] */
function arrow(clock, way, word, key, fine) {
  const title = plain("with_key", { what: wordOf(word), key });
  const step = () => clock.step(way, fine);
  return plainButton("button.sv-step", { "aria-label": wordOf(word), title }, step, way > 0 ? "›" : "‹");
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
  if (phase === "decide") return [...at, ...(fell === null ? phrase("at_decide") : verdictSentence(round.drafted[fell], config))];
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

/** @param {Race} race @param {State} state */
export function drawScreen(race, { picture, clock, lane }) {
  const { config } = picture.header;
  const timed = picture.comparison ? picture.comparison.clock : "wall";
  race.root.toggleAttribute("data-disturbed", !timed); // its times are withheld, here and in style sheets
  const drafts = lane?.name === "speculative" && config.K > 0;
  const lanes = LANES.map((name) => buildLane(name, picture));
  const bar = makeBar(clock, timed, (slow) => {
    race.slow = slow;
  });
  const steps = lane && makeSteps(clock, lane, config, bar.restart);
  const unread = bytesOf(picture);
  const inspector = el("section.sv-inspector");
  const numbers = el("section.sv-numbers");
  const caption = el("div.sv-caption", { "aria-live": "polite" });
  if (drafts) bar.root.append(predictButton(race));
  bar.root.append(steps?.root ?? bar.restart);
  bar.root.append(el("div.sv-moment", null, steps?.line, headline(picture)));
  drawNumbers(numbers, picture, async () => {
    await loadInspection(race);
    race.inspection?.plotAcceptance(picture.lanes.speculative?.numbers.by_position ?? []);
  });
  /** @param {string} name of an attribute that only styles know @returns {Pick<Switch, "on" | "change">} */
  const looks = (name) => ({
    on: race.root.hasAttribute(name),
    change(on) {
      race.root.toggleAttribute(name, on);
      for (const lane of lanes) lane.places = null;
    },
  });
  const signs = legend(config, { word: "struck", on: race.struck, change: (on) => setStruck(race, on) }, () => {
    const note = hardnessNote(picture);
    const folds = lanes.some(({ root }) => root.querySelector(".sv-fold"));
    const switches = [{ word: "hard", ...looks("data-hardness") }];
    if (folds) switches.push({ word: "templates", ...looks("data-template") });
    const teach = fold("teach", "sv-teach", WORDS.teach, () => [projectorButton(race)]);
    teach.open ||= isProjecting(race); // the way back
    return [
      el("div.sv-hardness", null, note === "hard_greedy" ? null : shades(), el("p", null, WORDS[note])),
      el("div.sv-hints.sv-flow", null, switches.map(box), bar.takes, bar.keys, teach),
    ];
  });
  race.stage.replaceChildren(
    el("h2.sv-unseen", null, WORDS.race),
    el("p.sv-earlier", null, WORDS.earlier),
    unread ? el("p.sv-unread.sv-bad", null, phrase("unread", { ...unread, target: picture.header.target.name })) : "",
    el("div.sv-lanes", null, ...lanes.map(({ root }) => root)),
    bar.root,
    caption,
    signs,
  );
  race.detail.replaceChildren(inspector, numbers);
  delete race.root.dataset.empty;
  delete race.root.dataset.earlier;
  const round = /** @type {RoundView | null} */ (null); // from the first token on that is inspected
  const predict = /** @type {Predict | null} */ (null); // from the first verdict on that is asked for
  return { lanes, bar, steps, predict, round, caption, inspector, signs, linkedSpans: /** @type {TokenSpan[]} */ ([]) };
}

/** The game stands under the player. @param {Race} race @param {State} state @param {Screen} screen */
function addPredict(race, { picture, clock, lane, guesses }, screen) {
  if (!race.inspection || lane?.name !== "speculative" || !picture.header.config.K) return null;
  const predict = race.inspection.makePredict(clock, lane, picture.header.config, guesses);
  screen.bar.root.after(predict.root);
  return predict;
}

/** @param {Race} race */
function predictButton(race) {
  const act = () => {
    setAsking(race, !race.asking);
    toggle.setAttribute("aria-pressed", String(race.asking));
  };
  const toggle = button(WORDS.predict, act, { class: "sv-ask-verdicts", "aria-pressed": String(race.asking) });
  return toggle;
}

/** Verdicts are asked for, from here on; or from the beginning, where all are there. @param {Race} race
 * @param {boolean} on */
function setAsking(race, on) {
  const { state } = race;
  race.asking = on;
  race.root.toggleAttribute("data-asking", on);
  if (!state) return;
  const { clock, picture } = state;
  clock.pause();
  clock.stops = stopsOf(picture, on);
  state.lastStop = null;
  if (on) loadInspection(race)?.then(() => paintRace(race));
  const from = clock.t >= clock.duration ? 0 : clock.t;
  clock.stopAt((on && firstQuestion(state.lane, clock.stops.halts, from)) || clock.t);
}

/** Struck guesses stay in the text at the end, too. @param {Race} race @param {boolean} on */
function setStruck(race, on) {
  race.struck = on;
  writeStored("struck", on || null);
  paintRace(race);
}

/** At the end the text is read: without struck guesses, unless they are asked for. @param {Race} race @param {boolean} hiding */
function setHiding(race, hiding) {
  if (race.hiding === hiding) return;
  race.hiding = hiding;
  race.root.toggleAttribute("data-hiding", hiding);
  for (const lane of race.screen?.lanes || []) {
    lane.places = null; // what is hidden takes no room
    moveTabStop(lane, hiding);
  }
}

/** Bring everything to the moment at which the clock stands. @param {Race} race */
export function paintRace(race) {
  const { state, screen, timeline, asking } = race;
  if (!state || !screen) return;
  const { clock, lane } = state;
  const over = clock.t >= clock.duration;
  setHiding(race, over && !race.struck);
  for (const view of screen.lanes) moveLane(view, clock.t, race.hiding);
  moveBar(screen.bar, clock);
  if (lane) syncToStep(race, state, screen, stepAt(lane, clock.t));
  if (revealStage(state.picture, state.selection, clock.t, asking) !== state.revealStage) updateInspector(race);
  timeline.move(clock.t);
  if (over && !state.over) for (const view of screen.lanes) scrollToStart(view);
  race.root.toggleAttribute("data-over", over);
  state.over = over;
}

/** Everything that follows the steps: the line, the picture of the round and, where somebody steps, the chosen token.
 * @param {Race} race @param {State} state @param {Screen} screen @param {ReplayStep} step */
function syncToStep(race, state, screen, step) {
  const { clock, lastStop, lane } = state;
  screen.steps?.move(step, race.asking);
  if (lane) screen.round?.move(step.round, clock.t, () => beforeRound(lane, step.round), race.asking);
  if (race.asking) {
    screen.predict ??= addPredict(race, state, screen);
    screen.predict?.move(step);
  }
  // a replay that runs goes through where it then stops: only what it stood at has been shown
  if (!clock.stepping) state.lastStop = null;
  else if (!lastStop || !sameStep(lastStop, step)) {
    state.lastStop = step;
    selectToken(race, step.over || !lane ? state.selection : tokenOfStep(step, lane.name));
  }
}
