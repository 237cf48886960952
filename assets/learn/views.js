// The beats of a picture: its moments, each with the sentence that says what is seen then. And a picture of several
// views, one after the other, each by its button too.

import { upTo } from "../shared/clock.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";

/** @import { Beat, Picture, Sentence, Stage, View } from "./types.js" */

/**
 * @param {string} kind the class of the picture
 * @param {(View & { word: string, beatMs?: number })[]} parts `beatMs`: of its own beats, if not `usualMs`
 * @param {number} usualMs of a beat @param {Stage} stage @returns {Picture}
 */
export function views(kind, parts, usualMs, stage) {
  const beats = /** @type {Beat[]} */ ([]);
  let end = 0;
  const spans = parts.map(({ beatMs = usualMs, ...view }) => {
    const [from, start] = [beats.length, end];
    beats.push(...evenBeats(view.sentences, beatMs).map(({ at, sentence }) => ({ at: start + at, sentence })));
    end += view.sentences.length * beatMs;
    return { ...view, from, start, until: beats.length, end };
  });
  const buttons = spans.map((part) =>
    button(part.word, () => {
      stage.player?.clock.pause();
      stage.player?.clock.seek(part.end - 1); // its last beat
    }),
  );
  const choice = parts.length > 1 ? el("div.lrn-views.sv-flow", { role: "group" }, buttons) : null;
  return {
    node: el(`div.${kind}.sv-stack`, null, choice, ...spans.map((part) => part.node)),
    beats,
    tail: end - beats[beats.length - 1].at,
    paint(t, i, anew) {
      spans.forEach((part, k) => {
        const current = i >= part.from && i < part.until;
        part.node.hidden = !current;
        buttons[k].setAttribute("aria-pressed", String(current));
        if (current) part.show?.(i - part.from, anew, t - part.start);
      });
    },
  };
}

/**
 * Beats at even distances, `beatMs` milliseconds apart.
 * @param {Sentence[]} sentences @param {number} beatMs @returns {Beat[]}
 */
export function evenBeats(sentences, beatMs) {
  return sentences.map((sentence, i) => ({ at: i * beatMs, sentence }));
}

/** The beat that time t is in. @param {Beat[]} beats @param {number} t */
export function beatAt(beats, t) {
  return Math.max(0, upTo(beats, t, (beat) => beat.at) - 1);
}

/** What is drawn of a beat, once and not at every frame; `anew` once more. @param {(i: number) => void} draw */
export function onceABeat(draw) {
  let last = -1;
  return (/** @type {number} */ i, anew = false) => {
    if (i === last && !anew) return;
    last = i;
    draw(i);
  };
}

/**
 * Where a step goes: a moment is seen whole just before the next one begins.
 * @param {Beat[]} beats @param {number} duration
 */
export function beatEnds(beats, duration) {
  return beats.map((_, i) => (i + 1 < beats.length ? beats[i + 1].at - 1 : duration));
}
