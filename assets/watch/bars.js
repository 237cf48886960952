// Bars for distributions: one row a token, an axis below them.

import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { scaleTop, share } from "../shared/scale.js";
import { say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, WORDS } from "../shared/words.js";
import { largest, largestOfResidual } from "./shares.js";

/** @import { Entry, Position, Residual, Token } from "../shared/types.js" */
/** @import { Subject } from "./shares.js" */

const SEEN = 5e-4; // what rounds to less in three decimals has no row

/**
 * p over q, with what they share drawn behind both.
 * @param {Position} position @param {Subject} subject
 */
export function positionBars(position, subject) {
  const both = position.beta !== null;
  const { rows, rest } = largest(position, subject);
  const top = scaleTop(rows.flatMap(({ p, q }) => [p, q || 0]));
  const drawn = rows.map((entry) => barRow(entry, top, both, entry.token.id === subject.token.id));
  const others = rest.p > SEEN || (rest.q || 0) > SEEN ? restRow(rest.p, rest.q) : null;
  return el("div.sv-bars", { "data-both": both ? "" : null }, barLegend(both), drawn, axis(top), others);
}

/**
 * The residual, and the row where the replacement was drawn.
 * @param {Residual} residual @param {Token} drawn
 */
export function residualBars(residual, drawn) {
  const { rows, found, rest } = largestOfResidual(residual, drawn);
  const top = scaleTop(rows.map(({ p }) => p));
  const bars = rows.map((entry) => residualRow(entry, top, entry === found));
  const others = rest > SEEN ? restRow(rest, null) : null;
  const note = found ? null : el("p.sv-note", null, say("landed_elsewhere", { x: chip(drawn) }));
  return el("div.sv-bars", null, bars, axis(top), others, note);
}

/** @param {string} kind @param {number} value @param {number} top */
function bar(kind, value, top) {
  const node = el("span.sv-fill", { "data-series": kind });
  node.style.width = share(value, top);
  return node;
}

/** @param {number} top */
function axis(top) {
  const ticks = [0, top / 2, top].map((tick) => el("span", null, String(Number(tick.toFixed(2)))));
  return el("div.sv-bar-row.sv-axis", { "aria-hidden": "true" }, el("span"), el("span.sv-ticks", null, ticks));
}

/** @param {number} amount */
const value = (amount) => el("span.sv-value", null, probability(amount));

/** @param {boolean} both */
function barLegend(both) {
  const key = (/** @type {string} */ series) => el("span.sv-key", { "data-series": series }, WORDS[series]);
  const keys = (both ? ["p", "q", "shared"] : ["p"]).map(key);
  const names = (both ? ["p", "q"] : ["p"]).map((name) => el("span.sv-value", null, name));
  return el("div.sv-bar-row.sv-bar-head", null, el("span"), el("span", null, keys), names);
}

/** @param {Entry} entry @param {number} top @param {boolean} both @param {boolean} marked */
function barRow({ token, p, q: known }, top, both, marked) {
  const q = known || 0;
  const bars = both ? [bar("shared", Math.min(p, q), top), bar("p", p, top), bar("q", q, top)] : bar("p", p, top);
  return el(
    "div.sv-bar-row",
    { "data-marked": marked ? "" : null },
    el("span.sv-row-token", null, chip(token)),
    el("span.sv-track", null, bars),
    value(p),
    both ? value(q) : null,
  );
}

/**
 * All other tokens: numbers without a bar, since a sum over hundreds would dwarf every single token and is not one of
 * them.
 * @param {number} p @param {number | null} q
 */
function restRow(p, q) {
  const name = el("span.sv-row-token.sv-note", null, WORDS.rest);
  return el("div.sv-bar-row", null, name, el("span"), value(p), q === null ? null : value(q));
}

/** @param {{ token: Token, p: number }} entry @param {number} top @param {boolean} landed */
function residualRow({ token, p }, top, landed) {
  const mark = landed ? el("span.sv-landed", null, `${ROLES.corrected.glyph} ${WORDS.landed}`) : null;
  return el(
    "div.sv-bar-row",
    { "data-marked": landed ? "" : null },
    el("span.sv-row-token", null, chip(token)),
    el("span.sv-track", null, bar("residual", p, top), mark),
    value(p),
  );
}
