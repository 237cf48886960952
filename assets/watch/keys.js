// The keys of the race. They work on the player and on the bare page, never while something else is typed into or
// pressed.

import { STEPWISE } from "../shared/clock.js";
import { whileHere, within } from "../shared/dom.js";
import { onBarePage, onTabBar } from "../shared/tabs.js";
import { inspect } from "./inspecting.js";
import { laneOf, pick } from "./pick.js";
import { project, projecting } from "./projector.js";
import { nextSeen, tokenOf } from "./spans.js";

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
  const done =
    (span && race.root.contains(span) && tokenKey(race, event, span)) || playerKey(race, event, race.state.clock);
  if (done) event.preventDefault();
}

/** @param {Race} race @param {KeyboardEvent} event @param {TokenSpan} span */
function tokenKey(race, { key, shiftKey }, span) {
  const { screen } = race;
  if (!screen) return false;
  const way = shiftKey ? 0 : ARROWS[key]; // with Shift: a phase, as anywhere
  if (key === "Enter" || key === " ") pick(race, span.picked, span);
  else if (key === "Escape") screen.bar.play.focus({ preventScroll: true });
  else if (way) {
    const next = nextSeen(laneOf(screen, span), span, way, race.hiding);
    if (next) {
      next.focus();
      pick(race, next.picked, next);
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
  const choosing = within(event, "select");
  const pressing = choosing || within(event, "button, summary, input[type=checkbox]");
  const fine = shiftKey || race.asking || clock.slow === STEPWISE;
  if (key === " " && !pressing) clock.toggle();
  else if (GUESSES[key] && race.asking) return race.screen?.predict?.give(GUESSES[key]) ?? false;
  else if (key === "ArrowRight" && !choosing) clock.step(1, fine);
  else if (key === "ArrowLeft" && !choosing) clock.step(-1, fine);
  else if (key.toLowerCase() === "p") project(race, !projecting(race));
  else if (key === "Escape" && projecting(race)) project(race, false);
  else if (key === "Escape" && race.inspecting) inspect(race, false);
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
