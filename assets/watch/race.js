// The race: a picture arrives, both lanes are drawn, the clock starts, a token is chosen.

import { fitting, makeClock, STEPWISE } from "../shared/clock.js";
import { query, whileHere } from "../shared/dom.js";
import { listenToMenus } from "../shared/menu.js";
import { still } from "../shared/motion.js";
import { readTabStored } from "../shared/store.js";
import { listenToKeys } from "./keys.js";
import { firstQuestion, instructive, seekBeforeRejection } from "./opening.js";
import { chooseRound, inspectPicked, link, linkSpan, pick } from "./pick.js";
import { drawScreen, paint } from "./screen.js";
import { tokenOf } from "./spans.js";
import { longest, makeState, steppedLane, stopsOf } from "./state.js";

/** @import { Picture, Slow } from "../shared/types.js" */
/** @import { Inspection, Race, TimelineEvents, TimelineView } from "./types.js" */

/**
 * @param {HTMLElement} root @param {(root: HTMLElement, on: TimelineEvents) => TimelineView} makeTimeline
 * @param {Inspection | (() => Promise<Inspection>)} inspection what a chosen token is explained with, or who sends it
 * @returns {Race}
 */
export function makeRace(root, makeTimeline, inspection) {
  const on = {
    hover: (/** @type {any} */ lane, /** @type {number} */ round) => link(race, lane, round),
    leave: () => link(race),
    choose: (/** @type {any} */ lane, /** @type {number} */ round) => chooseRound(race, lane, round),
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
    asking: false,
    hard: false,
    inspecting: false,
    inspection: typeof inspection === "function" ? null : inspection,
    fetchInspection: async () => (typeof inspection === "function" ? inspection() : inspection),
    coming: null,
    slow: null,
    live: null,
    state: null,
    screen: null,
  };
  stage.addEventListener("pointerover", (event) => race.live || linkSpan(race, tokenOf(event)));
  stage.addEventListener("pointerleave", () => link(race));
  stage.addEventListener("click", (event) => {
    const span = race.live ? null : tokenOf(event);
    if (span) pick(race, span.picked, span);
  });
  listenToMenus();
  listenToKeys(race);
  listenToFocus(race);
  if (readTabStored("inspecting")) inspectPicked(race);
  return race;
}

/** A run that nobody has asked for stands before a rejection. @param {Race} race @param {Picture} picture */
export function open(race, picture) {
  const round = instructive(steppedLane(picture));
  draw(race, picture, round ? STEPWISE : null);
  if (round) seekBeforeRejection(race, round);
  else begin(race);
}

/** @param {Race} race @param {Picture} picture @param {boolean} [arrived] it was asked for just now */
export function show(race, picture, arrived = false) {
  const lost = losesFocus(race.root);
  draw(race, picture);
  if (arrived && race.screen) bringIntoView(query(race.stage, ".sv-lanes"), race.screen.bar.root);
  if (arrived && lost) race.screen?.bar.play.focus({ preventScroll: true });
  begin(race);
}

/** @param {Race} race @param {Picture} picture @param {Slow | null} [slow] */
function draw(race, picture, slow = race.slow) {
  race.state?.clock.pause();
  race.live = null;
  delete race.root.dataset.live;
  const clock = makeClock(longest(picture), () => paint(race), stopsOf(picture, race.asking));
  clock.slow = slow ?? fitting(clock.duration);
  race.state = makeState(picture, clock);
  race.screen = drawScreen(race, race.state);
  pick(race, race.state.picked);
  clock.seek(0);
}

/** It plays; for whoever wants no motion it stands where it would have come to. @param {Race} race */
function begin(race) {
  const clock = race.state?.clock;
  if (!clock) return;
  const asked = race.asking && firstQuestion(race.state?.stepped ?? null, clock.stops.halts, 0);
  if (asked) clock.stand(asked);
  else if (!still()) clock.play();
  else if (clock.slow !== STEPWISE) clock.seek(clock.duration);
}

/**
 * A run that was asked for should be seen, both lanes and what is pressed, also on a small screen.
 * @param {HTMLElement} lanes @param {HTMLElement} bar
 */
function bringIntoView(lanes, bar) {
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
    if (ownToken(race, event)) link(race);
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
