// One clock for all that a replay shows. t is milliseconds of decoding as measured; `slow` is how many times slower it
// is shown. Beats are the moments at which something is seen to happen: a replay may go from one to the next, however
// far apart they were measured.

/** @import { Clock, Slow, Stops } from "./types.js" */

export const SLOW = [1, 5, 25, 100];
export const STEPWISE = "step"; // a fifth speed, not to scale: every step holds equally long
const REAL_TIME_MS = 1000; // ms of decoding from which on a run is shown as long as it took: people can follow it
const LEAST_MS = 4000; // ms on screen: below that the eye cannot follow
export const NEAR_MS = 1e-6; // ms: closer is the same moment
export const BEAT_MS = 1200; // ms on screen for one moment
const MOVE_MS = 400; // of them it takes to get there; then what is there holds

/**
 * Real time for a run of more than a second; else the fastest speed at which the slower lane still takes a few seconds.
 * @param {number} duration
 */
export function slowdownFor(duration) {
  if (duration > REAL_TIME_MS) return 1;
  return SLOW.find((slow) => slow * duration >= LEAST_MS) || SLOW[SLOW.length - 1];
}

/**
 * `longestStep`: ms that a frame takes on at most, however late it is: what is read is not skipped while a page is busy.
 * @param {number} duration @param {(clock: Clock) => void} paint @param {Partial<Stops>} [stops]
 * @param {number} [longestStep] @returns {Clock}
 */
export function makeClock(duration, paint, stops = {}, longestStep = Number.POSITIVE_INFINITY) {
  let last = 0;
  let frame = 0;
  /**
   * What it plays from: a moment, at a speed, and how long that has gone on.
   * @type {{ t: number, slow: Slow, passed: number }}
   */
  let leg = { t: 0, slow: 0, passed: 0 };
  const startLeg = () => {
    leg = { t: clock.t, slow: clock.slow, passed: 0 };
  };

  function tick(/** @type {number} */ now) {
    if (leg.slow !== clock.slow) startLeg();
    leg.passed += Math.min(longestStep, Math.max(0, now - last));
    last = now;
    const next = timeAfter(leg.t, leg.passed, clock.slow, duration, clock.stops.steps);
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
    slow: slowdownFor(duration),
    playing: false,
    stepping: false,
    stops: { moments: [], steps: [], halts: [], ...stops },
    play() {
      if (clock.playing || !duration) return;
      if (clock.t >= duration) clock.t = 0;
      clock.playing = true;
      startLeg();
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
      startLeg();
      paint(clock);
    },
    stopAt(t) {
      cancelAnimationFrame(frame);
      clock.playing = false;
      clock.stepping = true;
      clock.t = t;
      paint(clock);
    },
    step(way, fine = false) {
      const { steps, moments } = clock.stops;
      clock.stopAt(nextStop(clock.t, way, fine ? steps : moments, duration));
    },
  };
  return clock;
}

/**
 * Where a clock stands that was at t and has played for `passed` milliseconds on screen since.
 * @param {number} t @param {number} passed @param {Slow} slow @param {number} duration @param {number[]} steps
 */
function timeAfter(t, passed, slow, duration, steps) {
  if (typeof slow !== "number") return stepwiseTime(steps, t, passed, duration);
  return Math.min(duration, t + passed / slow);
}

/**
 * The next of `stops`, or the one before; where there is none, the end or the beginning.
 * @param {number} t @param {1 | -1} way @param {number[]} stops @param {number} duration @param {number} near closer is
 * the same
 */
export function nextStop(t, way, stops, duration, near = NEAR_MS) {
  if (way > 0) return stops.find((stop) => stop > t + near) ?? duration;
  return stops.findLast((stop) => stop < t - near) ?? 0;
}

/**
 * Where a replay stands `passed` milliseconds on screen after it stood at time t: each beat has BEAT of them, of which
 * it holds all but the first; the last beat is the end.
 * @param {number[]} beats @param {number} t @param {number} passed @param {number} duration
 */
function stepwiseTime(beats, t, passed, duration) {
  const all = [...beats, duration];
  const next = all.findIndex((beat) => beat > t + 1e-9);
  const at = next + Math.floor(passed / BEAT_MS);
  if (next < 0 || at >= all.length) return duration;
  const from = at > next ? all[at - 1] : t;
  return from + (all[at] - from) * Math.min(1, (passed % BEAT_MS) / MOVE_MS);
}

/** Those of `times` that come later than all before them. @param {number[]} times */
export function rising(times) {
  let last = 0;
  return times.filter((t) => {
    if (t <= last + NEAR_MS) return false;
    last = t;
    return true;
  });
}

/**
 * How many of a sorted list come no later than t.
 * @template Item @param {Item[]} list @param {number} t @param {(item: Item) => number} time
 */
export function upTo(list, t, time) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time(list[middle]) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}
