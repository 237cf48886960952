// The beats of a picture: its moments, each with the sentence that says what is seen then.

import { upTo } from "../shared/beats.js";

/** @import { Beat, Say } from "./types.js" */

/**
 * Beats at even distances, `each` milliseconds apart.
 * @param {Say[]} sentences @param {number} each @returns {Beat[]}
 */
export function evenly(sentences, each) {
  return sentences.map((say, i) => ({ at: i * each, say }));
}

/** The beat that time t is in. @param {Beat[]} beats @param {number} t */
export function beatAt(beats, t) {
  return Math.max(0, upTo(beats, t, (beat) => beat.at) - 1);
}

/** What is drawn of a beat, once and not at every frame; `anew` once more. @param {(i: number) => void} draw */
export function onceABeat(draw) {
  let shown = -1;
  return (/** @type {number} */ i, anew = false) => {
    if (i === shown && !anew) return;
    shown = i;
    draw(i);
  };
}

/**
 * Where a step goes: a moment is seen whole just before the next one begins.
 * @param {Beat[]} beats @param {number} duration
 */
export function ends(beats, duration) {
  return beats.map((_, i) => (i + 1 < beats.length ? beats[i + 1].at - 1 : duration));
}
