// The race: a picture arrives, both lanes are drawn, the clock starts, a token is chosen.

import { makeClock, STEPWISE, slowdownFor } from "../shared/clock.js";
import { query, still, whileHere } from "../shared/dom.js";
import { listenToMenus } from "../shared/menu.js";
import { readStored, readTabStored } from "../shared/store.js";
import { listenToKeys } from "./keys.js";
import { firstQuestion, instructiveRound, seekBeforeRejection } from "./opening.js";
import { drawScreen, paintRace } from "./screen.js";
import { fitLanes } from "./scroll.js";
import { inspectSelection, linkRound, linkSpan, selectRound, selectToken } from "./selection.js";
import { tokenOf } from "./spans.js";
import { longestDuration, makeState, steppedLane, stopsOf } from "./state.js";
import { makeTimeline } from "./timeline.js";

/** @import { Picture, Slow } from "../shared/types.js" */
/** @import { Inspection, Race } from "./types.js" */

/**
 * @param {HTMLElement} root
 * @param {Inspection | (() => Promise<Inspection>)} inspection what a chosen token is explained with, or who sends it
 * @returns {Race}
 */
export function makeRace(root, inspection) {
  const on = {
    hover: (/** @type {any} */ lane, /** @type {number} */ round) => linkRound(race, lane, round),
    leave: () => linkRound(race),
    choose: (/** @type {any} */ lane, /** @type {number} */ round) => selectRound(race, lane, round),
  };
  const stage = query(root, ".sv-race");
  const detail = query(root, ".sv-detail");
  /** @type {Race} */
  const race = {
    root,
    stage,
    detail,
    timeline: makeTimeline(root, on),
    hiding: false,
    struck: readStored("struck") === true,
    asking: false,
    hard: false,
    templates: false,
    fit() {},
    inspecting: false,
    inspection: typeof inspection === "function" ? null : inspection,
    fetchInspection: async () => (typeof inspection === "function" ? inspection() : inspection),
    inspectionRequest: null,
    slow: null,
    live: null,
    state: null,
    screen: null,
  };
  stage.addEventListener("pointerover", (event) => race.live || linkSpan(race, tokenOf(event)));
  stage.addEventListener("pointerleave", () => linkRound(race));
  stage.addEventListener("click", (event) => {
    const span = race.live ? null : tokenOf(event);
    if (span) selectToken(race, span.ref, span);
  });
  listenToMenus();
  listenToKeys(race);
  listenToFocus(race);
  race.fit = fitLanes(race);
  if (readTabStored("inspecting")) inspectSelection(race);
  return race;
}

/** A run that nobody has asked for stands before a rejection. @param {Race} race @param {Picture} picture */
export function openRun(race, picture) {
  const round = instructiveRound(steppedLane(picture));
  drawRun(race, picture, round ? STEPWISE : null);
  if (round) seekBeforeRejection(race, round);
  else startReplay(race);
}

/** @param {Race} race @param {Picture} picture @param {boolean} [isNew] it was asked for just now */
export function showRun(race, picture, isNew = false) {
  const focusLost = losesFocus(race.root);
  drawRun(race, picture);
  race.fit();
  if (isNew && race.screen) bringIntoView(query(race.stage, ".sv-lanes"), race.screen.bar.root);
  if (isNew && focusLost) race.screen?.bar.play.focus({ preventScroll: true });
  startReplay(race);
}

/** @param {Race} race @param {Picture} picture @param {Slow | null} [slow] */
function drawRun(race, picture, slow = race.slow) {
  race.state?.clock.pause();
  race.live = null;
  delete race.root.dataset.live;
  const clock = makeClock(longestDuration(picture), () => paintRace(race), stopsOf(picture, race.asking));
  clock.slow = slow ?? slowdownFor(clock.duration);
  race.state = makeState(picture, clock);
  race.screen = drawScreen(race, race.state);
  selectToken(race, race.state.selection);
  clock.seek(0);
}

/** It plays; for whoever wants no motion it stands where it would have come to. @param {Race} race */
function startReplay(race) {
  const clock = race.state?.clock;
  if (!clock) return;
  const question = race.asking && firstQuestion(race.state?.lane ?? null, clock.stops.halts, 0);
  if (question) clock.stopAt(question);
  else if (!still()) clock.play();
  else if (clock.slow !== STEPWISE) clock.seek(clock.duration);
}

/**
 * A run that was asked for should be seen, both lanes and what is pressed, also on a small screen.
 * @param {HTMLElement} lanes @param {HTMLElement} [bar]
 */
export function bringIntoView(lanes, bar = lanes) {
  const [{ top }, { bottom }] = [lanes, bar].map((part) => part.getBoundingClientRect());
  if (top >= 0 && bottom <= innerHeight) return;
  lanes.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
}

/** The focus on a token links its round. @param {Race} race */
function listenToFocus(race) {
  whileHere(race.root, document, "focusin", (event) => {
    const span = ownToken(race, event);
    race.screen?.bar.keys.toggleAttribute("data-token", Boolean(span));
    if (span) linkSpan(race, span);
  });
  whileHere(race.root, document, "focusout", (event) => {
    race.screen?.bar.keys.removeAttribute("data-token");
    if (ownToken(race, event)) linkRound(race);
  });
}

/** @param {Race} race @param {Event} event */
function ownToken({ root }, event) {
  const span = tokenOf(event);
  return span && root.contains(span) ? span : null;
}

/** Whether a new run takes the focus from what is about to go, or to be disabled. @param {HTMLElement} root */
function losesFocus(root) {
  const { activeElement } = document;
  return activeElement === document.body || activeElement?.id === "stop" || root.contains(activeElement);
}
