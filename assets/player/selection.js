// One token is chosen, one round is linked: the same wherever it is drawn, in the lanes, the inspector and on the timeline.
// The inspector and the picture of a round are there once a token was chosen, until they are closed: symbols come with
// them. A reload leaves them as they were. What a race shows is one plain state; all that is drawn is drawn from it.

import {
  beforeRound,
  lastRejected,
  phaseEnd,
  placeOf,
  questionsOf,
  refAt,
  revealStage,
  STEPWISE,
  stepAt,
  stepsOf,
} from "./clock.js";
import { button, chip, el, redraw, setText, still, writeTabStored } from "./dom.js";
import { isVisible, scrollToSpan, setTabStop } from "./lane.js";
import { pageAddress } from "./page.js";
import { phrase, WORDS } from "./words.js";

/** @import { Clock, Lane, LaneName, Picture, Race, Round, Screen, State } from "../shared/types.js" */
/** @import { Stops, TokenRef, TokenSpan } from "../shared/types.js" */

/** @param {Picture} picture @param {Clock} clock @returns {State} */
export function makeState(picture, clock) {
  const lane = steppedLane(picture);
  const initial = { revealStage: /** @type {const} */ (""), lastStop: null, guesses: new Map(), over: false };
  return { picture, clock, lane, selection: firstSelection(picture), ...initial };
}

/** The lane that is stepped through: the speculative one, if it has a round. @param {Picture} picture */
export function steppedLane({ lanes }) {
  return [lanes.speculative, lanes.vanilla].find((lane) => lane?.rounds.length) || null;
}

/** How long the replay is: as long as the slower lane, in ms. @param {Pick<Picture, "lanes">} picture */
export function longestDuration({ lanes }) {
  return Math.max(0, lanes.vanilla?.duration || 0, lanes.speculative?.duration || 0);
}

/** A first token to look at: the first rejection says most, else the first that was accepted, else anything of a round.
 * @param {Picture} picture @returns {TokenRef | null} */
export function firstSelection({ lanes }) {
  const refs = [lanes.speculative, lanes.vanilla]
    .filter((lane) => lane !== null)
    .flatMap(({ name: lane, rounds }) =>
      rounds.flatMap(({ shown }, round) =>
        shown.map(({ role, drafted, emitted }) => ({ role, ref: { lane, round, drafted, emitted } })),
      ),
    );
  const best = refs.find(({ role }) => role === "rejected") ?? refs.find(({ role }) => role === "accepted") ?? refs[0];
  return best?.ref ?? null;
}

/** @param {Picture} picture @param {boolean} asking @returns {Stops} */
export function stopsOf(picture, asking) {
  const lane = steppedLane(picture);
  if (!lane) return { moments: [], steps: [], halts: [] };
  const halts = asking ? questionsOf(lane) : [];
  return { moments: lane.rounds.map(({ end }) => end), steps: stepsOf(lane, halts), halts };
}

// Where somebody begins to look: before a rejection that shows the most.

/** Whether some of a round's block stays and some does not. @param {Round} round */
const hasBothVerdicts = ({ drafted }) =>
  drafted.some(({ verdict }) => verdict === "accepted") && drafted.some(({ verdict }) => verdict === "rejected");

/** A round in which a token stays, and the next is rejected and replaced; else one of several that are rejected at
 * once. @param {Lane | null} lane @returns {Round | null} */
export function instructiveRound(lane) {
  const rejections = (lane?.rounds ?? []).filter(
    ({ drafted, emitted }) => drafted.length > 1 && emitted.some(({ role }) => role === "corrected"),
  );
  return rejections.find(hasBothVerdicts) ?? rejections[0] ?? null;
}

/** The rounds that show what was drafted. @param {Lane | null} lane */
export const draftRounds = (lane) =>
  (lane?.rounds ?? []).filter(({ drafted, shown }) => drafted.length && shown.some((one) => one.drafted !== null));

/** Whether a run has a story to tell: not without drafts, with a rule that is not exact, or without both lanes.
 * @param {Picture} picture */
export const hasStory = ({ comparison, header, lanes }) =>
  Boolean(lanes.vanilla && draftRounds(lanes.speculative).length && comparison?.speedup && header.config.exact);

/** With one line on what comes. @param {Race} race @param {Round} round */
export function seekBeforeRejection({ state, screen }, round) {
  const rejected = lastRejected(round);
  const corrected = round.emitted.find(({ role }) => role === "corrected");
  state?.clock.seek(phaseEnd(round, "draft") ?? 0);
  if (!rejected || !corrected) return;
  const values = { x: chip(rejected.token), y: chip(corrected.token) };
  screen?.steps?.showSentence(phrase("opening", values));
}

/** The first question later than `from`, if there is one in a round whose verdicts differ: where all are kept there is
 * little to predict. @param {Lane | null} lane @param {number[]} questions @param {number} from */
export function firstQuestion(lane, questions, from) {
  const later = questions.filter((t) => t > from);
  return later.find((t) => lane && hasBothVerdicts(stepAt(lane, t).round)) ?? later[0];
}

/** Choose a token, or none. A replay stops for whoever chooses: what goes on would be of another round.
 * @param {Race} race @param {TokenRef | null} ref @param {TokenSpan | null} [byHand] the span that somebody chose
 * @param {boolean} [inRound] it was chosen in the picture of its round */
export function selectToken(race, ref, byHand = null, inRound = false) {
  const { root, state, screen } = race;
  if (!state || !screen) return;
  const loading = byHand || inRound ? setInspecting(race, true) : null;
  loading?.then(() => race.inspection && state.selection === ref && selectToken(race, ref, byHand, inRound));
  if ((byHand || inRound) && state.clock.playing) state.clock.pause();
  for (const other of root.querySelectorAll(".sv-text [aria-pressed=true]")) other.setAttribute("aria-pressed", "false");
  const spans = ref?.round === undefined ? [] : viewOf(screen, ref.lane).byRound[ref.round];
  const span = byHand || spans.find((one) => one.ref.drafted === ref?.drafted && one.ref.emitted === ref.emitted);
  if (span) {
    span.setAttribute("aria-pressed", "true");
    setTabStop(laneOf(screen, span), span);
  }
  state.selection = ref;
  if (byHand) linkSpan(race, byHand);
  else linkRound(race);
  showRound(race, ref, byHand !== null);
  updateInspector(race);
  // on a wide screen the inspector stands beside it; on a small one the sentence comes into sight, and the token stays
  if ((byHand || inRound) && screen.caption.offsetHeight > 1) {
    screen.caption.scrollIntoView({ block: "nearest" });
    byHand?.scrollIntoView({ block: "nearest" });
  }
}

/** What decided the token that is chosen already. @param {Race} race */
export function inspectSelection(race) {
  const draw = () => race.inspection && selectToken(race, race.state?.selection ?? null);
  const loading = setInspecting(race, true);
  if (loading) loading.then(draw);
  else draw();
}

/** The chosen token in the picture of its round; of one that is chosen in a lane, that round as it ended.
 * @param {Race} race @param {TokenRef | null} ref @param {boolean} byHand */
function showRound(race, ref, byHand) {
  const { state, screen } = race;
  if (!state?.lane || !screen) return;
  const { lane, clock } = state;
  screen.round ??= addRoundView(race, state, lane);
  if (!screen.round) return;
  const round = lane.name === ref?.lane && ref.round !== undefined ? lane.rounds[ref.round] : null;
  if (byHand && round) screen.round.move(round, Math.min(clock.t, round.end), () => beforeRound(lane, round));
  screen.round.choose(round && placeOf(ref, round), round);
}

/** The picture of a round stands below all else of the race from the first token on that is inspected.
 * @param {Race} race @param {State} state @param {Lane} lane */
function addRoundView(race, { picture, clock }, lane) {
  if (!race.inspecting || !race.inspection) return null;
  const choose = (/** @type {Round} */ round, /** @type {number} */ at) => selectToken(race, refAt(lane, round, at), null, true);
  const { config, target } = picture.header;
  const view = race.inspection.makeRound(config, lane.rounds, choose, { states: target.state_layers > 0 });
  race.stage.append(view.root);
  const { round } = stepAt(lane, clock.t);
  view.move(round, clock.t, () => beforeRound(lane, round), race.asking);
  return view;
}

/** Say of the chosen token what has happened to it so far. @param {Race} race */
export function updateInspector(race) {
  const { state, screen, asking, inspecting, inspection } = race;
  if (!state || !screen) return;
  const { picture, selection, clock } = state;
  state.revealStage = revealStage(picture, selection, clock.t, asking);
  if (!inspecting || !inspection) return;
  const { inspector, caption, bar } = screen;
  const names = { "aria-label": WORDS.close_inspector, title: WORDS.close_inspector };
  const close = button("×", () => closeInspection(race), { class: "sv-close", ...names });
  redraw(inspector, () => inspection.drawInspector(inspector, picture, selection, state.revealStage, close), bar.play);
  const behavior = still() ? "auto" : "smooth";
  const onDetails = () => inspector.scrollIntoView({ behavior });
  redraw(caption, () => inspection.drawCaption(caption, picture, selection, state.revealStage, onDetails), bar.play);
}

/** Mark the round that is pointed at: its tokens, its stretch of the timeline. Without one, on the timeline that of the chosen
 * token, where this is looked at or stepped to. @param {Race} race @param {LaneName} [lane] @param {number} [index] */
export function linkRound({ state, screen, timeline, inspecting }, lane, index) {
  if (!state || !screen) return;
  for (const span of screen.linkedSpans) delete span.dataset.linked;
  const { picture, clock } = state;
  const selection = inspecting || clock.stepping || clock.slow === STEPWISE ? state.selection : null;
  const isHovered = index !== undefined;
  const [name, at = -1] = isHovered ? [lane, index] : [selection?.lane, selection?.round];
  const round = name && picture.lanes[name]?.rounds[at];
  timeline.mark(name && round ? { lane: name, round } : null);
  screen.linkedSpans = name && round && isHovered ? viewOf(screen, name).byRound[at] : [];
  for (const span of screen.linkedSpans) span.dataset.linked = "";
}

/** @param {Race} race @param {TokenSpan | null} span */
export function linkSpan(race, span) {
  if (span?.ref.round === undefined) linkRound(race);
  else linkRound(race, span.ref.lane, span.ref.round);
}

/** The token that says most about a round: what was rejected, else what ended it. @param {Race} race
 * @param {LaneName} lane @param {number} index */
export function selectRound(race, lane, index) {
  const { state, screen, hiding } = race;
  if (!state || !screen) return;
  const view = viewOf(screen, lane);
  const spans = view.byRound[index];
  if (!view.data || !spans) return;
  const rejected = hiding ? undefined : spans.find(({ dataset }) => dataset.final === "rejected");
  const span = rejected || spans.findLast(({ lost }) => !lost) || spans[0];
  if (!isVisible(span, hiding)) {
    state.clock.pause();
    state.clock.seek(view.data.rounds[index].end);
  }
  scrollToSpan(view, span);
  selectToken(race, span.ref, span);
}

/** @param {Screen} screen @param {LaneName} name */
function viewOf({ lanes }, name) {
  return lanes[name === "vanilla" ? 0 : 1];
}

/** @param {Screen} screen @param {TokenSpan} span */
export const laneOf = (screen, span) => viewOf(screen, span.ref.lane);

/** @param {Race} race @param {boolean} on @returns {Promise<void> | null} until what draws them is there, on a page
 * that is sent it later */
export function setInspecting(race, on) {
  if (race.inspecting !== on) {
    race.inspecting = on;
    race.root.toggleAttribute("data-inspecting", on);
    writeTabStored("inspecting", on || null);
    for (const lane of race.screen?.lanes ?? []) lane.places = null; // at another width
    linkRound(race);
  }
  return on ? loadInspection(race) : null;
}

/** @param {Race} race @returns {Promise<void> | null} until it is there; null where it is */
export function loadInspection(race) {
  if (race.inspection) return null;
  race.inspectionRequest ??= fetchInspection(race);
  return race.inspectionRequest;
}

/** Where it is lost, whoever needs it next asks again. @param {Race} race */
async function fetchInspection(race) {
  try {
    race.inspection = await race.fetchInspection();
  } catch (error) {
    console.warn(error);
  }
  race.inspectionRequest = null;
}

/** What has the focus in there leaves it to Play. @param {Race} race */
export function closeInspection(race) {
  setInspecting(race, false);
  if (document.activeElement?.closest(".sv-round, .sv-inspector, .sv-caption"))
    race.screen?.bar.play.focus({ preventScroll: true });
}

// The projector: the race alone on the screen, and back.

/** The whole of the race, also where gradio puts it in boxes of its own. @param {Race} race */
const frameOf = ({ root }) => root.closest("#race") ?? root;

/** @param {Race} race */
export const isProjecting = (race) => frameOf(race).hasAttribute("data-projector");

/** @param {Race} race @param {boolean} on */
export function setProjecting(race, on) {
  frameOf(race).toggleAttribute("data-projector", on);
  if (on) {
    inspectSelection(race);
    for (const fold of race.stage.querySelectorAll("details")) fold.open = true;
  }
  writeTabStored("projector", on ? "watch" : null);
  document.body.toggleAttribute("data-sv-projector", on);
  for (const lane of race.screen?.lanes || []) lane.places = null; // at another size
  const button = race.root.querySelector(".sv-project");
  if (button) labelButton(button, on);
}

/** @param {Race} race */
export function projectorButton(race) {
  const toggle = button("", () => setProjecting(race, !isProjecting(race)), { class: "sv-project" });
  const nodes = el("span.sv-flow", null, toggle, el("span.sv-address", null, pageAddress()));
  labelButton(toggle, isProjecting(race));
  return nodes;
}

/** @param {Element} button @param {boolean} on */
function labelButton(button, on) {
  setText(button, WORDS[on ? "projector_off" : "projector"]);
  button.setAttribute("aria-pressed", String(on));
  button.nextElementSibling?.toggleAttribute("hidden", !on);
}
