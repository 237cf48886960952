// How the guesses of a room are spread at one place, beside what the target expects there: q, p, and their overlap.

import { bar, keys, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { fill } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";

/** @import { Place } from "./types.js" */

/** @param {Place} place @param {number} drawn the id of the guess that was drawn @param {Record<string, any>} words */
export function spread(place, drawn, words) {
  const top = scaleTop(place.entries.flatMap(({ p, q }) => [p, q]));
  const rows = place.entries.map(({ token, p, q }) => both(chip(token), p, q, top, token.id === drawn));
  const legend = keys(["p", words.p], ["q", words.q]);
  return el(
    "figure.ppl-spread",
    null,
    el("figcaption", null, legend, el("b", null, fill(words.beta, { beta: probability(place.beta) }))),
    el("div.sv-bars", null, rows, both(words.rest, place.rest.p, place.rest.q, top, false)),
  );
}

/** @param {Node | string} name @param {number} p @param {number} q @param {number} top @param {boolean} drawn */
function both(name, p, q, top, drawn) {
  const values = [
    [el("span.sv-unseen", null, "p "), probability(p)],
    [el("span.sv-unseen", null, "q "), probability(q)],
  ];
  return row(name, [bar("p", p, top), bar("q", q, top)], values, drawn);
}
