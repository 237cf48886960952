// The player's controls: play, restart, time, speed.

import { BEAT_MS, SLOW, STEPWISE } from "../shared/clock.js";
import { button, select } from "../shared/controls.js";
import { el, setText } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @import { Clock, Slow } from "../shared/types.js" */
/** @import { Bar } from "./types.js" */
/** @typedef {"wall" | "processor" | null} TimedBy */

/**
 * @param {Clock} clock @param {TimedBy} timed by which clock; null: its milliseconds are not shown
 * @param {(slow: Slow) => void} onSpeed a speed was
 */
export function makeBar(clock, timed, onSpeed) {
  const play = button("", clock.toggle, { class: "sv-first sv-play" });
  const restart = button(WORDS.restart, () => {
    clock.seek(0);
    clock.play();
  });
  const time = { type: "range", min: 0, max: clock.duration, step: "any", "aria-label": WORDS.scrub };
  const scrub = el("input.sv-scrub", time);
  const replayTime = el("span.sv-takes");
  // one is shown, both keep their place
  const arrowKeys = el("span");
  const keys = el("span.sv-keys", null, arrowKeys, el("span", null, WORDS.keys_token));
  const updateTexts = () => {
    updateReplayTime(replayTime, clock, timed);
    setText(arrowKeys, WORDS[clock.slow === STEPWISE ? "keys_step" : "keys"]);
  };
  const setSpeed = (/** @type {Slow} */ slow) => {
    clock.slow = slow;
    onSpeed(slow);
    updateTexts();
    // at the end nothing is left to step through
    if (slow === STEPWISE && !clock.playing && clock.t >= clock.duration) clock.stopAt(0);
  };
  const options = [...SLOW, STEPWISE].map((slow) => /** @type {[Slow, string]} */ ([slow, wordOf(`speed_${slow}`)]));
  const speeds = select(options, { "aria-label": WORDS.speed }, clock.slow);
  speeds.classList.add("sv-speed");
  // whoever chose by hand goes on with the arrows of the player; whoever chose by keys, with those of the choice
  let byPointer = false;
  speeds.addEventListener("pointerdown", () => {
    byPointer = true;
  });
  speeds.addEventListener("change", () => {
    setSpeed(speeds.value === STEPWISE ? STEPWISE : Number(speeds.value));
    if (byPointer) play.focus({ preventScroll: true });
    byPointer = false;
  });
  scrub.addEventListener("input", () => {
    const moment = Number(scrub.value); // read first: pausing paints, and painting moves the scrubber
    clock.pause();
    clock.seek(moment);
  });
  updateTexts();
  return {
    root: el("div.sv-bar.sv-flow", { role: "group" }, play, scrub, speeds),
    play,
    restart,
    scrub,
    takes: replayTime,
    keys,
    timed,
  };
}

/** @param {HTMLElement} replayTime @param {Clock} clock @param {TimedBy} timed */
function updateReplayTime(replayTime, { slow, duration }, timed) {
  if (typeof slow !== "number") return setText(replayTime, plain("takes_step", { seconds: number(BEAT_MS / 1000, 1) }));
  if (!timed) return setText(replayTime, WORDS.takes_busy);
  setText(
    replayTime,
    plain(timed === "wall" ? "takes" : "takes_processor", {
      ms: number(duration, 0),
      seconds: number((duration * slow) / 1000, 1),
    }),
  );
}

/** @param {Bar} bar @param {Clock} clock */
export function moveBar(bar, { t, duration, playing }) {
  setText(bar.play, playing ? WORDS.pause : WORDS.play);
  bar.scrub.value = String(t);
  if (playing) return;
  const where = bar.timed ? plain("clock", { now: number(t, 0), whole: number(duration, 0) }) : percent(t / duration);
  bar.scrub.setAttribute("aria-valuetext", where);
}
