// Easy and hard tokens: how sure the target was at each place of the text, by the entropy of p there; at temperature 0
// by that of its logits.

import { el } from "../shared/dom.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @typedef {"hard_note" | "hard_logits" | "hard_greedy"} HardnessNote */
/** @import { Picture, Round, TextSpan } from "../shared/types.js" */

const LEVELS = [0.1, 0.5, 1, 2]; // nats, where the next level begins

/**
 * The entropies of p (at temperature 0 of the logits) and q where a token stands, in nats; null where they were not
 * recorded, as of a token that was not examined.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Pick<TextSpan, "drafted" | "emitted" | "role">} shown
 */
export function entropiesAt(round, { drafted, emitted, role }) {
  const guess = drafted === null ? null : round.drafted[drafted];
  // a corrected token stands where a guess was rejected; of a tree that p lacks what the siblings took
  const rejected = role === "corrected" ? round.drafted.find((one) => one.verdict === "rejected" && !one.rank) : null;
  const position = guess?.position ?? (emitted === null ? null : round.emitted[emitted].position) ?? rejected?.position;
  return { p: position?.logits_entropy ?? position?.p_entropy ?? null, q: position?.q_entropy ?? null };
}

/** From 0, where the target was almost certain, to 4. @param {number} entropy */
export const levelOf = (entropy) => LEVELS.filter((from) => entropy >= from).length;

/** Which sentence says what is shaded, if anything is. @param {Picture} picture @returns {HardnessNote} */
export function hardnessNote({ header: { config }, lanes }) {
  if (!config.greedy) return "hard_note";
  const rounds = Object.values(lanes).flatMap((lane) => lane?.rounds ?? []);
  const hasLogits = rounds.some(({ emitted, drafted }) =>
    [...drafted, ...emitted].some(({ position }) => (position?.logits_entropy ?? null) !== null),
  );
  return hasLogits ? "hard_logits" : "hard_greedy";
}

/** What the shades mean, in numbers. @param {HardnessNote} note the key of a sentence */
export function hardnessLegend(note) {
  return el("div.sv-hardness", null, note === "hard_greedy" ? null : shades(), el("p", null, WORDS[note]));
}

/** The list of the levels. */
export function shades() {
  const levels = [...LEVELS, null].map((_, level) =>
    el(
      "li",
      null,
      el("span.sv-token", { "data-hard": level, "aria-hidden": "true" }, String(level)),
      " ",
      wordOf(`hard_${level}`),
    ),
  );
  return el("ul.sv-flow", null, levels);
}
