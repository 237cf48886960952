// Draws a picture: both lanes, the player, the round, the inspector and the numbers; and brings all of it to a moment.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { writeStored } from "../shared/store.js";
import { WORDS } from "../shared/words.js";
import { hardnessNote } from "./hardness.js";
import { headline, unreadNote } from "./headline.js";
import { buildLane, moveLane } from "./lane.js";
import { legend } from "./legend.js";
import { drawNumbers } from "./numbers.js";
import { firstQuestion } from "./opening.js";
import { revealStage, stepAt, tokenOfStep } from "./phases.js";
import { beforeRound } from "./places.js";
import { makeBar, moveBar } from "./player.js";
import { projectorButton } from "./projector.js";
import { scrollToStart } from "./scroll.js";
import { loadInspection, selectToken, updateInspector } from "./selection.js";
import { moveTabStop } from "./spans.js";
import { stopsOf } from "./state.js";
import { makeSteps, sameStep } from "./steps.js";

/** @import { LaneName } from "../shared/types.js" */
/** @import { RoundView } from "../round/types.js" */
/** @import { Predict, Race, Screen, ReplayStep, State, TokenSpan } from "./types.js" */

/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];

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
  const setTemplates = (/** @type {boolean} */ on) => {
    race.templates = on;
    race.root.toggleAttribute("data-template", on);
    for (const lane of lanes) lane.places = null;
  };
  const signs = legend(
    config,
    { word: "struck", on: race.struck, change: (on) => setStruck(race, on) },
    [
      { word: "hard", on: race.hard, change: (on) => setHardness(race, on) },
      ...(lanes.some(({ root }) => root.querySelector(".sv-fold"))
        ? [{ word: "templates", on: race.templates, change: setTemplates }]
        : []),
    ],
    [bar.takes, bar.keys, fold("teach", "sv-teach", WORDS.teach, [projectorButton(race)])],
    hardnessNote(picture),
  );
  race.stage.replaceChildren(
    el("h2.sv-unseen", null, WORDS.race),
    el("p.sv-earlier", null, WORDS.earlier),
    unreadNote(picture) ?? "",
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

/**
 * Verdicts are asked for, from here on; or from the beginning, where all are there.
 * @param {Race} race @param {boolean} on
 */
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

/** Tokens are shaded by how sure the target was. @param {Race} race @param {boolean} on */
function setHardness(race, on) {
  race.hard = on;
  race.root.toggleAttribute("data-hardness", on);
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

/**
 * Everything that follows the steps: the line, the picture of the round and, where somebody steps, the chosen token.
 * @param {Race} race @param {State} state @param {Screen} screen @param {ReplayStep} step
 */
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
