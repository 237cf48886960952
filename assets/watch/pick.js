// One token is chosen, one round is linked: the same wherever it is drawn, in the lanes, the inspector and on the
// timeline.

import { STEPWISE } from "../shared/clock.js";
import { redraw } from "../shared/controls.js";
import { still } from "../shared/motion.js";
import { closeButton, inspect } from "./inspecting.js";
import { revealStage } from "./known.js";
import { stepAt } from "./phases.js";
import { beforeRound, pickedAt, placeOf } from "./places.js";
import { follow } from "./scroll.js";
import { rove, seen } from "./spans.js";
import { markedRound } from "./state.js";

/** @import { Lane, LaneName, Round } from "../shared/types.js" */
/** @import { Picked, Race, Screen, State, TokenSpan } from "./types.js" */

/**
 * Choose a token, or none. A replay that goes step by step stops for whoever chooses.
 * @param {Race} race @param {Picked | null} picked @param {TokenSpan | null} [byHand] the span that somebody chose
 * @param {boolean} [inRound] it was chosen in the picture of its round
 */
export function pick(race, picked, byHand = null, inRound = false) {
  const { root, state, screen } = race;
  if (!state || !screen) return;
  const late = byHand || inRound ? inspect(race, true) : null;
  late?.then(() => race.inspection && state.picked === picked && pick(race, picked, byHand, inRound));
  // the next step would choose another one
  if ((byHand || inRound) && state.clock.playing && state.clock.slow === STEPWISE) state.clock.pause();
  for (const other of root.querySelectorAll(".sv-text [aria-pressed=true]"))
    other.setAttribute("aria-pressed", "false");
  const span = byHand || spanOf(screen, picked);
  if (span) {
    span.setAttribute("aria-pressed", "true");
    rove(laneOf(screen, span), span);
  }
  state.picked = picked;
  if (byHand) linkSpan(race, byHand);
  else link(race);
  showRound(race, picked, byHand !== null);
  tellPicked(race);
  // on a wide screen the inspector stands beside it
  if ((byHand || inRound) && screen.caption.offsetHeight > 1) screen.caption.scrollIntoView({ block: "nearest" });
}

/** What decided the token that is chosen already. @param {Race} race */
export function inspectPicked(race) {
  const draw = () => race.inspection && pick(race, race.state?.picked ?? null);
  const late = inspect(race, true);
  if (late) late.then(draw);
  else draw();
}

/**
 * The chosen token in the picture of its round; of one that is chosen in a lane, that round as it ended.
 * @param {Race} race @param {Picked | null} picked @param {boolean} byHand
 */
function showRound(race, picked, byHand) {
  const { state, screen } = race;
  if (!state?.stepped || !screen) return;
  const { stepped, clock } = state;
  screen.round ??= addRound(race, state, stepped);
  if (!screen.round) return;
  const round = stepped.name === picked?.lane && picked.round !== undefined ? stepped.rounds[picked.round] : null;
  if (byHand && round) screen.round.move(round, Math.min(clock.t, round.end), () => beforeRound(stepped, round));
  screen.round.choose(round && placeOf(picked, round), round);
}

/**
 * The picture of a round stands below all else of the race from the first token on that is inspected.
 * @param {Race} race @param {State} state @param {Lane} stepped
 */
function addRound(race, { picture, clock }, stepped) {
  if (!race.inspecting || !race.inspection) return null;
  const choose = (/** @type {Round} */ round, /** @type {number} */ at) =>
    pick(race, pickedAt(stepped, round, at), null, true);
  const { config, target } = picture.header;
  const view = race.inspection.makeRound(config, stepped.rounds, choose, { states: target.state_layers > 0 });
  race.stage.append(view.root);
  const { round } = stepAt(stepped, clock.t);
  view.move(round, clock.t, () => beforeRound(stepped, round), race.asking);
  return view;
}

/** Say of the chosen token what has happened to it so far. @param {Race} race */
export function tellPicked(race) {
  const { state, screen, asking, inspecting, inspection } = race;
  if (!state || !screen) return;
  const { picture, picked, clock } = state;
  state.known = revealStage(picture, picked, clock.t, asking);
  if (!inspecting || !inspection) return;
  const { inspector, caption, bar } = screen;
  const close = closeButton(race);
  redraw(inspector, () => inspection.drawInspector(inspector, picture, picked, state.known, close), bar.play);
  const behavior = still() ? "auto" : "smooth";
  const onDetails = () => inspector.scrollIntoView({ behavior });
  redraw(caption, () => inspection.drawCaption(caption, picture, picked, state.known, onDetails), bar.play);
}

/**
 * Mark a round: its tokens, its stretch of the timeline. Without one, that of the chosen token, on the timeline.
 * @param {Race} race @param {LaneName} [lane] @param {number} [index]
 */
export function link({ state, screen, timeline }, lane, index) {
  if (!state || !screen) return;
  for (const span of screen.linked) delete span.dataset.linked;
  const marked = markedRound(state, lane, index);
  timeline.mark(marked);
  screen.linked = marked?.pointed ? viewOf(screen, marked.lane).byRound[marked.index] : [];
  for (const span of screen.linked) span.dataset.linked = "";
}

/** @param {Race} race @param {TokenSpan | null} span */
export function linkSpan(race, span) {
  if (span?.picked.round === undefined) link(race);
  else link(race, span.picked.lane, span.picked.round);
}

/**
 * The token that says most about a round: what was rejected, else what ended it.
 * @param {Race} race @param {LaneName} lane @param {number} index
 */
export function chooseRound(race, lane, index) {
  const { state, screen, hiding } = race;
  if (!state || !screen) return;
  const view = viewOf(screen, lane);
  const spans = view.byRound[index];
  if (!view.data || !spans) return;
  const rejected = hiding ? undefined : spans.find(({ dataset }) => dataset.final === "rejected");
  const span = rejected || spans.findLast(({ lost }) => !lost) || spans[0];
  if (!seen(span, hiding)) {
    state.clock.pause();
    state.clock.seek(view.data.rounds[index].end);
  }
  follow(view, span);
  pick(race, span.picked, span);
}

/** @param {Screen} screen @param {LaneName} name */
function viewOf({ lanes }, name) {
  return lanes[name === "vanilla" ? 0 : 1];
}

/** @param {Screen} screen @param {TokenSpan} span */
export const laneOf = (screen, span) => viewOf(screen, span.picked.lane);

/** @param {Screen} screen @param {Picked | null} picked */
function spanOf(screen, picked) {
  if (!picked || picked.round === undefined) return null;
  const spans = viewOf(screen, picked.lane).byRound[picked.round];
  return spans.find((span) => span.picked.drafted === picked.drafted && span.picked.emitted === picked.emitted) || null;
}
