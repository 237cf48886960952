// The lanes of a run and what each round spent on drafting, on the target's pass and on the rest: in words, and in
// milliseconds of the lane for whatever draws a timeline.

import { milliseconds } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Picture, Round } from "../shared/types.js" */
/** @typedef {Picture["lanes"]} Lanes */

const PARTS = /** @type {const} */ (["draft", "verify", "rest"]);

/** The lanes that there are, from top to bottom. @param {Lanes} lanes */
export const lanesOf = ({ vanilla, speculative }) => [vanilla, speculative].filter((lane) => lane !== null);

/** How long the longer lane took, in ms. @param {Lanes} lanes */
export const longestOf = (lanes) => Math.max(1e-9, ...lanesOf(lanes).map(({ duration }) => duration));

/** A colour and a word for each part of a round. @returns {[series: string, word: string][]} */
export const keyOf = () => PARTS.map((part) => [part, WORDS[`timeline_${part}`]]);

/** What is heard of it: of each lane, what its parts took together. @param {Lanes} lanes */
export function timelineText(lanes) {
  const sentences = lanesOf(lanes).map(({ name, rounds }) => {
    const sumOf = (/** @type {string} */ part) =>
      rounds.flatMap(barsOf).reduce((sum, bar) => sum + (bar.part === part ? bar.to - bar.from : 0), 0);
    const parts = PARTS.map((part) => [part, milliseconds(sumOf(part))]);
    return plain("timeline_lane", { lane: WORDS[name], ...Object.fromEntries(parts) });
  });
  return [`${WORDS.timeline_label}.`, ...sentences].join(" ");
}

/** What of a round took time, and when. @param {Round} round */
export function barsOf(round) {
  const moments = [round.start, round.drafted_at, round.verified_at, round.end];
  return PARTS.map((part, i) => ({ part, from: moments[i], to: moments[i + 1] })).filter(({ from, to }) => to > from);
}
