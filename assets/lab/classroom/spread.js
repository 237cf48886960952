// How the guesses of a room are spread at one place, beside what the target expects there: q, p, and their overlap.

import { el } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { scaleTop, share } from "../../shared/scale.js";
import { fill } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";

/** @import { Place } from "./types.js" */

/** @param {Place} place @param {number} drawn the id of the guess that was drawn @param {Record<string, any>} words */
export function spread(place, drawn, words) {
  const top = scaleTop(place.entries.flatMap(({ p, q }) => [p, q]));
  const rows = place.entries.map(({ token, p, q }) => row(chip(token), p, q, top, token.id === drawn));
  const rest = row(words.rest, place.rest.p, place.rest.q, top, false);
  const key = (/** @type {string} */ name) => el("span", { "data-of": name }, words[name]);
  return el(
    "figure.ppl-spread",
    null,
    el("figcaption", null, key("q"), key("p"), el("b", null, fill(words.beta, { beta: probability(place.beta) }))),
    el("table", null, rows, rest),
  );
}

/** @param {Node | string} name @param {number} p @param {number} q @param {number} top @param {boolean} drawn */
function row(name, p, q, top, drawn) {
  const bar = (/** @type {"p" | "q"} */ of, /** @type {number} */ value) => {
    const fill = el("i", { "data-of": of });
    fill.style.inlineSize = share(value, top);
    return fill;
  };
  return el(
    "tr",
    { "data-drawn": drawn ? "" : null },
    el("th", { scope: "row" }, name),
    el("td.ppl-bars", { "aria-hidden": "true" }, bar("q", q), bar("p", p)),
    el("td", null, el("span.sv-unseen", null, "q "), probability(q)),
    el("td", null, el("span.sv-unseen", null, "p "), probability(p)),
  );
}
