// The player of a picture: play, step, time, and the sentence of the moment.

import { makeClock, nextStop } from "../shared/clock.js";
import { button } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { explain } from "../shared/glossary.js";
import { beatAt, ends } from "./beats.js";
import { PAGE } from "./lesson.js";

/** @import { Picture } from "./types.js" */

const NEAR = 0.5; // ms: whoever stands this near to a stop is there

/** @param {Picture} picture */
export function makePlayer({ node, beats, tail, paint }) {
  const duration = beats[beats.length - 1].at + tail;
  const stops = ends(beats, duration);
  const told = el("p.lrn-told");
  const play = button("", () => clock.toggle(), { class: "sv-first" });
  const scrub = el("input", { type: "range", min: 0, max: duration, step: "any", "aria-label": PAGE.time });
  let said = -1;
  let moved = false; // what is drawn is the visitor's own, until the player goes on
  const clock = makeClock(duration, ({ t, playing }) => {
    const i = beatAt(beats, t);
    const anew = moved;
    moved = false;
    paint(t, i, anew);
    setText(play, playing ? PAGE.pause : t >= duration ? PAGE.again : PAGE.play);
    scrub.value = String(t);
    if (i !== said || anew || !playing) told.replaceChildren(...explain(...beats[i].say));
    said = i;
    told.setAttribute("aria-live", playing ? "off" : "polite");
    if (!playing) scrub.setAttribute("aria-valuetext", told.textContent ?? "");
  });
  clock.slow = 1;
  const step = (/** @type {1 | -1} */ way) => {
    clock.pause();
    clock.seek(nextStop(clock.t, way, stops, duration, NEAR));
  };
  scrub.addEventListener("input", () => {
    const wanted = Number(scrub.value); // read first: pausing paints, and painting moves the scrubber
    clock.pause();
    clock.seek(wanted);
  });
  /** Pause, since the visitor moves something of the picture. */
  const byHand = () => {
    moved = false; // to pause is not to go on
    clock.pause();
    moved = true;
    setText(told, PAGE.by_hand); // the sentence of the moment is of other values
  };
  /** The moment again, with its own values and sentence. */
  const asRecorded = () => clock.seek(clock.t);
  const steps = [button("‹", () => step(-1), named(PAGE.back)), button("›", () => step(1), named(PAGE.on))];
  const bar = el("div.lrn-player.sv-flow", { role: "group" }, play, steps, scrub);
  return {
    root: el("section.lrn-stage.sv-stack", null, el("div.lrn-picture", null, node), told, bar),
    clock,
    step,
    byHand,
    asRecorded,
  };
}

/** Of a button that shows a sign. @param {string} word */
const named = (word) => ({ "aria-label": word, title: word });
