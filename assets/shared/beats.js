// Beats: the moments at which something is seen to happen. A replay may go from one to the next, however far apart they
// were measured.

export const BEAT = 700; // ms on screen for one moment

/**
 * The time after `passed` milliseconds on screen, BEAT of them for each beat.
 * @param {number[]} beats @param {number} t @param {number} passed @param {number} duration
 */
export function walk(beats, t, passed, duration) {
  let left = passed;
  let now = t;
  let at = beats.findIndex((beat) => beat > t + 1e-9);
  while (at >= 0 && at < beats.length) {
    const span = beats[at] - (at ? beats[at - 1] : 0);
    const wanted = (BEAT * (beats[at] - now)) / span;
    if (left < wanted) return now + (span * left) / BEAT;
    left -= wanted;
    now = beats[at++];
  }
  return duration;
}

/** Those of `times` that come later than all before them. @param {number[]} times */
export function rising(times) {
  let last = 0;
  return times.filter((t) => {
    if (t <= last + 1e-6) return false;
    last = t;
    return true;
  });
}

/**
 * How many of a sorted list come no later than t.
 * @template Item
 * @param {Item[]} list @param {number} t @param {(item: Item) => number} time
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
