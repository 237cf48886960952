// Draws a picture: both lanes, the player, the round, the inspector and the numbers; and brings all of it to a moment.

import { STEPWISE } from "../shared/clock.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { WORDS } from "../shared/words.js";
import { hardnessNote } from "./hardness.js";
import { headline } from "./headline.js";
import { revealStage } from "./known.js";
import { buildLane, moveLane } from "./lane.js";
import { legend } from "./legend.js";
import { drawNumbers } from "./numbers.js";
import { firstQuestion } from "./opening.js";
import { stepAt, tokenOfStep } from "./phases.js";
import { pick, tellPicked } from "./pick.js";
import { beforeRound } from "./places.js";
import { makeBar, moveBar } from "./player.js";
import { makePredict } from "./predict.js";
import { projectorButton } from "./projector.js";
import { followStart } from "./scroll.js";
import { keepStop } from "./spans.js";
import { stopsOf } from "./state.js";
import { makeSteps, same } from "./steps.js";
import { unreadNote } from "./unread.js";

/** @import { LaneName } from "../shared/types.js" */
/** @import { RoundView } from "../round/types.js" */
/** @import { Race, Screen, Standing, State, TokenSpan } from "./types.js" */

/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];

/** @param {Race} race @param {State} state */
export function drawScreen(race, { picture, clock, stepped, guesses }) {
  const { config } = picture.header;
  const timed = picture.comparison?.kind !== "disturbed"; // else its times are withheld, here and in style sheets
  race.root.toggleAttribute("data-disturbed", !timed);
  const drafts = stepped?.name === "speculative" && config.K > 0;
  const lanes = LANES.map((name) => buildLane(name, picture));
  const bar = makeBar(clock, timed, (slow) => {
    race.slow = slow;
  });
  const steps = stepped && makeSteps(clock, stepped, config, bar.restart);
  const predict = drafts ? makePredict(clock, stepped, config, guesses) : null;
  const inspector = el("section.sv-inspector");
  const numbers = el("section.sv-numbers");
  const caption = el("div.sv-caption", { "aria-live": "polite" });
  if (drafts) bar.root.append(predictButton(race));
  bar.root.append(steps?.fold ?? bar.restart);
  bar.root.append(el("div.sv-moment", null, steps?.line, headline(picture)));
  drawNumbers(numbers, picture);
  race.stage.replaceChildren(
    el("h2.sv-unseen", null, WORDS.race),
    el("p.sv-earlier", null, WORDS.earlier),
    unreadNote(picture) ?? "",
    el("div.sv-lanes", null, ...lanes.map(({ root }) => root)),
    bar.root,
    predict?.root ?? "",
    caption,
    el("p.sv-note.sv-invite", null, WORDS.choose),
    legend(
      config,
      [
        ...(config.K > 0
          ? [{ word: "hide", on: race.hiding, change: (/** @type {boolean} */ on) => hide(race, on) }]
          : []),
        { word: "hard", on: race.hard, change: (/** @type {boolean} */ on) => shade(race, on) },
      ],
      [bar.takes, bar.keys, fold("teach", "sv-teach", WORDS.teach, [projectorButton(race)])],
      hardnessNote(picture),
    ),
  );
  race.detail.replaceChildren(inspector, numbers);
  delete race.root.dataset.empty;
  delete race.root.dataset.earlier;
  const round = /** @type {RoundView | null} */ (null); // from the first token on that is inspected
  return { lanes, bar, steps, predict, round, caption, inspector, linked: /** @type {TokenSpan[]} */ ([]) };
}

/** @param {Race} race */
function predictButton(race) {
  const press = () => {
    ask(race, !race.asking);
    on.setAttribute("aria-pressed", String(race.asking));
  };
  const on = button(WORDS.predict, press, { class: "sv-ask-verdicts", "aria-pressed": String(race.asking) });
  return on;
}

/**
 * Verdicts are asked for, from here on; or from the beginning, where all are there.
 * @param {Race} race @param {boolean} on
 */
function ask(race, on) {
  const { state } = race;
  race.asking = on;
  race.root.toggleAttribute("data-asking", on);
  if (!state) return;
  const { clock, picture } = state;
  clock.pause();
  clock.stops = stopsOf(picture, on);
  state.stood = null;
  const from = clock.t >= clock.duration ? 0 : clock.t;
  clock.stand((on && firstQuestion(state.stepped, clock.stops.halts, from)) || clock.t);
}

/** @param {Race} race @param {boolean} hiding */
function hide(race, hiding) {
  race.hiding = hiding;
  race.root.toggleAttribute("data-hiding", hiding);
  for (const lane of race.screen?.lanes || []) {
    lane.places = null; // what is hidden takes no room
    keepStop(lane, hiding);
  }
}

/** Tokens are shaded by how sure the target was. @param {Race} race @param {boolean} on */
function shade(race, on) {
  race.hard = on;
  race.root.toggleAttribute("data-hardness", on);
}

/** Bring everything to the moment at which the clock stands. @param {Race} race */
export function paint(race) {
  const { state, screen, timeline, hiding, asking } = race;
  if (!state || !screen) return;
  const { clock, stepped } = state;
  for (const lane of screen.lanes) moveLane(lane, clock.t, hiding);
  moveBar(screen.bar, clock);
  stepwise(race, clock.slow === STEPWISE);
  if (stepped) stand(race, state, screen, stepAt(stepped, clock.t));
  if (revealStage(state.picture, state.picked, clock.t, asking) !== state.known) tellPicked(race);
  timeline.move(clock.t);
  const over = clock.t >= clock.duration;
  if (over && !state.over) for (const lane of screen.lanes) followStart(lane);
  screen.bar.root.toggleAttribute("data-over", over);
  state.over = over;
}

/** Step by step the lanes are lower, so that the round is in sight. @param {Race} race @param {boolean} on */
function stepwise({ root, screen }, on) {
  if (root.hasAttribute("data-stepwise") === on) return;
  root.toggleAttribute("data-stepwise", on);
  for (const lane of screen?.lanes ?? []) lane.places = null;
}

/**
 * Everything that follows the steps: the line, the picture of the round and, where somebody steps, the chosen token.
 * @param {Race} race @param {State} state @param {Screen} screen @param {Standing} at
 */
function stand(race, state, screen, at) {
  const { clock, stood, stepped } = state;
  screen.steps?.move(at, race.asking);
  if (stepped) screen.round?.move(at.round, clock.t, () => beforeRound(stepped, at.round), race.asking);
  if (race.asking) screen.predict?.move(at);
  // a replay that runs goes through where it then stops: only what it stood at has been shown
  if (!clock.stepping) state.stood = null;
  else if (!stood || !same(stood, at)) {
    state.stood = at;
    pick(race, at.over || !stepped ? state.picked : tokenOfStep(at, stepped.name));
  }
}
