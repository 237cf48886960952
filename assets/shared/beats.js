// Beats: the moments at which something is seen to happen. A replay may go from one to the next, however far apart they
// were measured.

export const NEAR = 1e-6; // ms: closer is the same moment
export const BEAT = 1200; // ms on screen for one moment
const MOVE = 400; // of them it takes to get there; then what is there holds

/**
 * Where a replay stands `passed` milliseconds on screen after it stood at time t: each beat has BEAT of them, of which
 * it holds all but the first; the last beat is the end.
 * @param {number[]} beats @param {number} t @param {number} passed @param {number} duration
 */
export function walk(beats, t, passed, duration) {
  const all = [...beats, duration];
  const next = all.findIndex((beat) => beat > t + 1e-9);
  const at = next + Math.floor(passed / BEAT);
  if (next < 0 || at >= all.length) return duration;
  const from = at > next ? all[at - 1] : t;
  return from + (all[at] - from) * Math.min(1, (passed % BEAT) / MOVE);
}

/** Those of `times` that come later than all before them. @param {number[]} times */
export function rising(times) {
  let last = 0;
  return times.filter((t) => {
    if (t <= last + NEAR) return false;
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
