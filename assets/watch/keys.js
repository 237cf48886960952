// The keys of the race. They work on the player and on the bare page, never while something else is typed into or
// pressed.

import { STEPWISE } from "../shared/clock.js";
import { whileHere, within } from "../shared/dom.js";
import { onBarePage, onTabBar } from "../shared/tabs.js";
import { isProjecting, setProjecting } from "./projector.js";
import { closeInspection, laneOf, selectToken } from "./selection.js";
import { nextVisible, tokenOf } from "./spans.js";

/** @import { Clock } from "../shared/types.js" */
/** @import { Guess, Race, TokenSpan } from "./types.js" */

/** @type {Record<string, number>} */
const ARROWS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** @type {Record<string, Guess>} */
const GUESSES = { a: "accept", r: "reject" };

/** @param {Race} race */
export function listenToKeys(race) {
  whileHere(race.root, document, "keydown", (event) => onKey(race, event));
}

/** @param {Race} race @param {KeyboardEvent} event */
function onKey(race, event) {
  if (!race.state || event.ctrlKey || event.metaKey || event.altKey || !race.screen?.bar.root.offsetWidth) return;
  const span = tokenOf(event);
  const isHandled =
    (span && race.root.contains(span) && tokenKey(race, event, span)) || playerKey(race, event, race.state.clock);
  if (isHandled) event.preventDefault();
}

/** @param {Race} race @param {KeyboardEvent} event @param {TokenSpan} span */
function tokenKey(race, { key, shiftKey }, span) {
  const { screen } = race;
  if (!screen) return false;
  const direction = shiftKey ? 0 : ARROWS[key]; // with Shift: a phase, as anywhere
  if (key === "Escape") screen.bar.play.focus({ preventScroll: true }); // and closes what it closes on the player
  if (key === "Enter" || key === " ") selectToken(race, span.ref, span);
  else if (direction) {
    const next = nextVisible(laneOf(screen, span), span, direction, race.hiding);
    if (next) {
      next.focus();
      selectToken(race, next.ref, next);
    }
  } else return false;
  return true;
}

/**
 * Space, arrows, Home and End; with Shift, as comma and full stop, in a replay that goes step by step or while verdicts
 * are asked for, a step at a time; A and R say what is predicted; P is for a projector.
 * @param {Race} race @param {KeyboardEvent} event @param {Clock} clock
 */
function playerKey(race, event, clock) {
  const { target, key, shiftKey } = event;
  const inside = target instanceof Node && race.stage.contains(target);
  if (!inside && !onBarePage(event) && !onTabBar(event)) return false;
  const inSelect = within(event, "select");
  const inControl = inSelect || within(event, "button, summary, input[type=checkbox]");
  const fine = shiftKey || race.asking || clock.slow === STEPWISE;
  if (key === " " && !inControl) clock.toggle();
  else if (GUESSES[key] && race.asking) return race.screen?.predict?.giveGuess(GUESSES[key]) ?? false;
  else if (key === "ArrowRight" && !inSelect) clock.step(1, fine);
  else if (key === "ArrowLeft" && !inSelect) clock.step(-1, fine);
  else if (key.toLowerCase() === "p") setProjecting(race, !isProjecting(race));
  else if (key === "Escape" && isProjecting(race)) setProjecting(race, false);
  else if (key === "Escape" && race.inspecting) closeInspection(race);
  else if (key === ".") clock.step(1, true);
  else if (key === ",") clock.step(-1, true);
  else if (key === "Home") {
    clock.pause();
    clock.seek(0);
  } else if (key === "End") {
    clock.pause();
    clock.seek(clock.duration);
  } else return false;
  return true;
}
