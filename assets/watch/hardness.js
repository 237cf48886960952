// Easy and hard tokens: how sure the target was at each place of the text, by the entropy of p there.

import { el } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";

/** @import { Round, Shown } from "../shared/types.js" */

const LEVELS = [0.1, 0.5, 1, 2]; // nats, where the next level begins

/**
 * The entropy of p where a token stands, in nats; null where p was not recorded, as of a token that was not
 * examined.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Pick<Shown, "drafted" | "emitted" | "role">} shown
 */
export function entropyAt(round, { drafted, emitted, role }) {
  const guess = drafted === null ? null : round.drafted[drafted];
  // a corrected token stands where a guess was rejected; of a tree that p lacks what the siblings took
  const instead = role === "corrected" ? round.drafted.find((one) => one.verdict === "rejected" && !one.rank) : null;
  const position = guess?.position ?? (emitted === null ? null : round.emitted[emitted].position) ?? instead?.position;
  return position?.p_entropy ?? null;
}

/** From 0, where the target was almost certain, to 4. @param {number} entropy */
export const levelOf = (entropy) => LEVELS.filter((from) => entropy >= from).length;

/** What the shades mean, in numbers. @param {boolean} greedy */
export function hardnessLegend(greedy) {
  const note = el("p", null, WORDS[greedy ? "hard_greedy" : "hard_note"]);
  if (greedy) return el("div.sv-hardness", null, note);
  const shades = [...LEVELS, null].map((_, level) =>
    el(
      "li",
      null,
      el("span.sv-token", { "data-hard": level, "aria-hidden": "true" }, String(level)),
      " ",
      WORDS[`hard_${level}`],
    ),
  );
  return el("div.sv-hardness", null, el("ul", null, shades), note);
}
