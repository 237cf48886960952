// One clock for all that a replay shows. t is milliseconds of decoding as measured; `slow` is how many times slower it
// is shown.

import { walk } from "./beats.js";

/** @import { Clock, Slow } from "./types.js" */

export const SLOW = [1, 2, 4, 10];
export const STEPWISE = "step"; // a fifth speed, not to scale: every moment gets the same time
const LONG_ENOUGH = 4000; // ms on screen: below that the eye cannot follow

/**
 * The fastest speed at which the slower lane still takes a few seconds.
 * @param {number} duration
 */
export function fitting(duration) {
  return SLOW.find((slow) => slow * duration >= LONG_ENOUGH) || SLOW[SLOW.length - 1];
}

/**
 * @param {number} duration
 * @param {(clock: Clock) => void} paint
 * @param {{ moments?: number[], beats?: number[], phases?: number[] }} [stops] `moments`: the ends of rounds, where
 * step() goes;
 *   `phases`: the ends of what a round does; `beats`: every moment at which something is seen to happen, for STEPWISE
 * @returns {Clock}
 */
export function makeClock(duration, paint, { moments = [], beats = moments, phases = [] } = {}) {
  let last = 0;
  let frame = 0;

  function tick(/** @type {number} */ now) {
    const passed = Math.max(0, now - last);
    last = now;
    clock.t = advanced(clock.t, passed, clock.slow, duration, beats);
    if (clock.t >= duration) clock.playing = false;
    paint(clock);
    if (clock.playing) frame = requestAnimationFrame(tick);
  }

  /** @type {Clock} */
  const clock = {
    t: 0,
    duration,
    slow: fitting(duration),
    playing: false,
    play() {
      if (clock.playing || !duration) return;
      if (clock.t >= duration) clock.t = 0;
      clock.playing = true;
      last = performance.now();
      frame = requestAnimationFrame(tick);
      paint(clock);
    },
    pause() {
      cancelAnimationFrame(frame);
      clock.playing = false;
      paint(clock);
    },
    toggle() {
      if (clock.playing) clock.pause();
      else clock.play();
    },
    seek(t) {
      clock.t = Math.max(0, Math.min(duration, t));
      paint(clock);
    },
    step(way, fine = false) {
      clock.pause();
      clock.seek(nextStop(clock.t, way, fine ? phases : moments, duration));
    },
  };
  return clock;
}

/**
 * Where the clock stands after `passed` milliseconds on screen.
 * @param {number} t @param {number} passed @param {Slow} slow @param {number} duration @param {number[]} beats
 */
export function advanced(t, passed, slow, duration, beats) {
  if (typeof slow !== "number") return walk(beats, t, passed, duration);
  return Math.min(duration, t + passed / slow);
}

/**
 * The next of `stops`, or the one before; where there is none, the end or the beginning.
 * @param {number} t @param {1 | -1} way @param {number[]} stops @param {number} duration @param {number} near closer is
 * the same
 */
export function nextStop(t, way, stops, duration, near = 1e-6) {
  if (way > 0) return stops.find((stop) => stop > t + near) ?? duration;
  return stops.findLast((stop) => stop < t - near) ?? 0;
}
