// The race: a picture arrives, both lanes are drawn, the clock starts, a token is chosen.

import { fitting, makeClock, STEPWISE } from "../shared/clock.js";
import { the } from "../shared/dom.js";
import { still } from "../shared/motion.js";
import { listenToFocus, losesFocus } from "./focus.js";
import { listenToKeys } from "./keys.js";
import { chooseRound, link, linkSpan, pick } from "./pick.js";
import { drawScreen, paint } from "./screen.js";
import { tokenOf } from "./spans.js";
import { longest, makeState } from "./state.js";
import { stopsOf } from "./stops.js";

/** @import { Picture } from "../shared/types.js" */
/** @import { Race, TimelineEvents, TimelineView } from "./types.js" */

/**
 * @param {HTMLElement} root
 * @param {(root: HTMLElement, on: TimelineEvents) => TimelineView} makeTimeline
 * @returns {Race}
 */
export function makeRace(root, makeTimeline) {
  const on = {
    hover: (/** @type {any} */ lane, /** @type {number} */ round) => link(race, lane, round),
    leave: () => link(race),
    choose: (/** @type {any} */ lane, /** @type {number} */ round) => chooseRound(race, lane, round),
  };
  const stage = the(root, ".sv-race");
  const detail = the(root, ".sv-detail");
  /** @type {Race} */
  const race = {
    root,
    stage,
    detail,
    timeline: makeTimeline(root, on),
    hiding: false,
    asking: false,
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
  listenToKeys(race);
  listenToFocus(race);
  return race;
}

/** @param {Race} race @param {Picture} picture @param {boolean} [arrived] it was asked for just now */
export function show(race, picture, arrived = false) {
  race.state?.clock.pause();
  race.live = null;
  delete race.root.dataset.live;
  const lost = losesFocus(race.root);
  const clock = makeClock(longest(picture), () => paint(race), stopsOf(picture, race.asking));
  clock.slow = race.slow ?? fitting(clock.duration);
  race.state = makeState(picture, clock);
  race.screen = drawScreen(race, race.state);
  pick(race, race.state.picked);
  if (arrived) bringIntoView(race.stage);
  if (arrived && lost) race.screen.bar.play.focus({ preventScroll: true });
  clock.seek(0);
  if (!still()) return clock.play();
  if (race.asking && clock.stops.halts.length) clock.stand(clock.stops.halts[0]);
  else if (clock.slow !== STEPWISE) clock.seek(clock.duration);
}

/**
 * A run that was asked for should be seen whole, its inspector beside it, also on a small screen.
 * @param {HTMLElement} stage
 */
function bringIntoView(stage) {
  if (stage.getBoundingClientRect().bottom <= innerHeight) return;
  stage.scrollIntoView({ block: "start", behavior: still() ? "auto" : "smooth" });
}
