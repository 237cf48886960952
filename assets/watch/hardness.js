// Easy and hard tokens: how sure the target was at each place of the text, by the entropy of p there.

import { el } from "../shared/dom.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @import { Round, Shown } from "../shared/types.js" */

const LEVELS = [0.1, 0.5, 1, 2]; // nats, where the next level begins

/**
 * The entropies of p and q where a token stands, in nats; null where they were not recorded, as of a token that was not
 * examined.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Pick<Shown, "drafted" | "emitted" | "role">} shown
 */
export function entropiesAt(round, { drafted, emitted, role }) {
  const guess = drafted === null ? null : round.drafted[drafted];
  // a corrected token stands where a guess was rejected; of a tree that p lacks what the siblings took
  const instead = role === "corrected" ? round.drafted.find((one) => one.verdict === "rejected" && !one.rank) : null;
  const position = guess?.position ?? (emitted === null ? null : round.emitted[emitted].position) ?? instead?.position;
  return { p: position?.p_entropy ?? null, q: position?.q_entropy ?? null };
}

/** From 0, where the target was almost certain, to 4. @param {number} entropy */
export const levelOf = (entropy) => LEVELS.filter((from) => entropy >= from).length;

/** What the shades mean, in numbers. @param {boolean} greedy */
export function hardnessLegend(greedy) {
  const note = el("p", null, WORDS[greedy ? "hard_greedy" : "hard_note"]);
  return el("div.sv-hardness", null, greedy ? null : shades(), note);
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
  return el("ul", null, levels);
}
