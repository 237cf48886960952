// One clock for all that a replay shows. t is milliseconds of decoding as measured; `slow` is how many times slower it
// is shown.

import { NEAR, walk } from "./beats.js";

/** @import { Clock, Slow, Stops } from "./types.js" */

export const SLOW = [1, 5, 25, 100];
export const STEPWISE = "step"; // a fifth speed, not to scale: every step holds equally long
const REAL = 1000; // ms of decoding from which on a run is shown as long as it took: people can follow it
const LONG_ENOUGH = 4000; // ms on screen: below that the eye cannot follow

/**
 * Real time for a run of more than a second; else the fastest speed at which the slower lane still takes a few seconds.
 * @param {number} duration
 */
export function fitting(duration) {
  if (duration > REAL) return 1;
  return SLOW.find((slow) => slow * duration >= LONG_ENOUGH) || SLOW[SLOW.length - 1];
}

/** @param {number} duration @param {(clock: Clock) => void} paint @param {Partial<Stops>} [stops] @returns {Clock} */
export function makeClock(duration, paint, stops = {}) {
  let last = 0;
  let frame = 0;
  /**
   * What it plays from: a moment, at a speed, and how long that has gone on.
   * @type {{ t: number, slow: Slow, passed: number }}
   */
  let leg = { t: 0, slow: 0, passed: 0 };
  const from = () => {
    leg = { t: clock.t, slow: clock.slow, passed: 0 };
  };

  function tick(/** @type {number} */ now) {
    if (leg.slow !== clock.slow) from();
    leg.passed += Math.max(0, now - last);
    last = now;
    const next = advanced(leg.t, leg.passed, clock.slow, duration, clock.stops.steps);
    const halt = clock.stops.halts.find((t) => t > clock.t + 1e-9 && t <= next);
    clock.t = halt ?? next;
    clock.stepping = clock.slow === STEPWISE || halt !== undefined;
    if (clock.t >= duration || halt !== undefined) clock.playing = false;
    paint(clock);
    if (clock.playing) frame = requestAnimationFrame(tick);
  }

  /** @type {Clock} */
  const clock = {
    t: 0,
    duration,
    slow: fitting(duration),
    playing: false,
    stepping: false,
    stops: { moments: [], steps: [], halts: [], ...stops },
    play() {
      if (clock.playing || !duration) return;
      if (clock.t >= duration) clock.t = 0;
      clock.playing = true;
      from();
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
      clock.stepping = false;
      clock.t = Math.max(0, Math.min(duration, t));
      from();
      paint(clock);
    },
    stand(t) {
      cancelAnimationFrame(frame);
      clock.playing = false;
      clock.stepping = true;
      clock.t = t;
      paint(clock);
    },
    step(way, fine = false) {
      const { steps, moments } = clock.stops;
      clock.stand(nextStop(clock.t, way, fine ? steps : moments, duration));
    },
  };
  return clock;
}

/**
 * Where a clock stands that was at t and has played for `passed` milliseconds on screen since.
 * @param {number} t @param {number} passed @param {Slow} slow @param {number} duration @param {number[]} steps
 */
export function advanced(t, passed, slow, duration, steps) {
  if (typeof slow !== "number") return walk(steps, t, passed, duration);
  return Math.min(duration, t + passed / slow);
}

/**
 * The next of `stops`, or the one before; where there is none, the end or the beginning.
 * @param {number} t @param {1 | -1} way @param {number[]} stops @param {number} duration @param {number} near closer is
 * the same
 */
export function nextStop(t, way, stops, duration, near = NEAR) {
  if (way > 0) return stops.find((stop) => stop > t + near) ?? duration;
  return stops.findLast((stop) => stop < t - near) ?? 0;
}
