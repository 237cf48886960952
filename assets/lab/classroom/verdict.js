// A round, token by token: p of each, what was decided and by which u, then what the target added.

import { bar, keys, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { probability } from "../../shared/numbers.js";
import { scaleTop, share } from "../../shared/scale.js";
import { fill } from "../../shared/sentences.js";
import { chip } from "../../shared/tokens.js";

/** @import { Added, Guessed, Place, Turn } from "./types.js" */
/** @typedef {Record<string, any>} Words */
/** @typedef {Record<string, { glyph: string, word: string }>} Roles */

/** @param {Turn} turn @param {number} n its number, from 1 @param {Words} words @param {Roles} roles */
export function verdict(turn, n, words, roles) {
  const tokens = turn.drafted.map((one) => tested(one, turn, words, roles));
  const added = turn.emitted.filter(({ role }) => role !== "accepted").map((one) => follows(one, turn, words, roles));
  const title = fill(turn.player === words.class ? words.round : words.round_of, { n, player: turn.player });
  return el("section.ppl-round", null, el("h3", null, title), el("ol.ppl-tokens", null, tokens, added));
}

/** @param {Guessed} one @param {Turn} turn @param {Words} words @param {Roles} roles */
function tested(one, turn, words, roles) {
  const { verdict, p, q, u, place } = one;
  const how = verdict === "unexamined" ? "" : turn.greedy ? "_greedy" : q === 1 ? "" : "_q";
  const values = { token: chip(one.token), p: probability(p), q: probability(q), u: probability(u) };
  const rejected = verdict === "rejected";
  return el(
    "li.ppl-token",
    { "data-role": verdict },
    el("span.ppl-glyph", { "aria-hidden": "true" }, roles[verdict].glyph),
    el("span.ppl-said", null, fill(words[verdict + how], values)),
    turn.greedy || verdict === "unexamined" ? null : scale(one, words),
    place && q < 1 && verdict !== "unexamined" ? spread(place, one.token.id, words) : null,
    place && rejected && q === 1 && !turn.greedy ? expected(one, words) : null,
  );
}

/** From 0 to 1: as far as the bar goes a token is kept, u is a mark on it. @param {Guessed} one @param {Words} words */
function scale({ p, q, u }, words) {
  const bar = el("span.sv-node-keep");
  bar.style.width = share(Math.min(1, p / q), 1);
  const mark = u === null ? null : el("span.sv-node-u", { title: `${words.u}: ${probability(u)}` });
  if (mark && u !== null) mark.style.left = share(u, 1);
  return el("span.sv-node-gauge", { "data-on": "u", "aria-hidden": "true" }, bar, mark);
}

/** What the target gave most to there, the guess among them. @param {Guessed} one @param {Words} words */
function expected({ place }, words) {
  const most = [...(place?.entries ?? [])].sort((a, b) => b.p - a.p);
  const shown = most.slice(0, 4).map((entry) => el("li", null, chip(entry.token), ` ${probability(entry.p)}`));
  return el("div.ppl-expected", null, el("span", null, words.expected), el("ul", null, shown));
}

/** @param {Added} one @param {Turn} turn @param {Words} words @param {Roles} roles */
function follows({ token, role, chance }, turn, words, roles) {
  const key = role === "corrected" ? "corrected" : "bonus";
  const sentence = fill(words[turn.greedy ? `${key}_greedy` : key], {
    token: chip(token),
    chance: probability(chance),
  });
  return el(
    "li.ppl-token",
    { "data-role": role },
    el("span.ppl-glyph", { "aria-hidden": "true" }, roles[role].glyph),
    el("span.ppl-said", null, sentence),
  );
}

/** @param {Place} place @param {number} drawn the id of the guess that was drawn @param {Record<string, any>} words */
function spread(place, drawn, words) {
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
