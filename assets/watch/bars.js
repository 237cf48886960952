// Bars for distributions: one row a token, an axis below them.

import { bar, keys, row } from "../shared/bars.js";
import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { scaleTop } from "../shared/scale.js";
import { say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";
import { largest, largestOfResidual } from "./shares.js";

/** @import { Entry, Position, Residual, Token } from "../shared/types.js" */
/** @import { Subject } from "./shares.js" */

/** @typedef {"p" | "q" | "s"} Series */

const SEEN = 5e-4; // what rounds to less in three decimals has no row

/**
 * p over q, with what they share drawn behind both. Where the draft's largest was drafted, q is 1 or 0, a number
 * without a bar, and under p stands the draft's own softmax s.
 * @param {Position} position @param {Subject} subject
 */
export function positionBars(position, subject) {
  const series = seriesOf(position);
  const { rows, rest } = largest(position, subject);
  const top = scaleTop(rows.flatMap((entry) => series.map((name) => entry[name] || 0)));
  const drawn = rows.map((entry) => barRow(entry, top, series, entry.token.id === subject.token.id));
  const others = hasRest(rest, series) ? restRow(rest, series) : null;
  return el("div.sv-bars", null, barLegend(series), drawn, axis(top), others);
}

/** What has bars. @param {Position} position @returns {Series[]} */
export const seriesOf = ({ beta, own }) => (beta === null ? ["p"] : own ? ["p", "s"] : ["p", "q"]);

/**
 * Whether all other tokens come to anything.
 * @param {Partial<Record<Series, number | null>>} rest @param {Series[]} series
 */
export const hasRest = (rest, series) => series.some((name) => (rest[name] || 0) > SEEN);

/** The residual, and the row where the replacement was drawn. @param {Residual} residual @param {Token} drawn */
export function residualBars(residual, drawn) {
  const { rows, found, rest } = largestOfResidual(residual, drawn);
  const top = scaleTop(rows.map(({ p }) => p));
  const bars = rows.map((entry) => residualRow(entry, top, entry === found));
  const others = rest > SEEN ? restRow({ p: rest, q: null }, ["p"]) : null;
  const note = found ? null : el("p.sv-note", null, say("landed_elsewhere", { x: chip(drawn) }));
  return el("div.sv-bars", null, bars, axis(top), others, note);
}

/** @param {number} top */
function axis(top) {
  const ticks = [0, top / 2, top].map((tick) => el("span", null, String(Number(tick.toFixed(2)))));
  return el("div.sv-bar-row", { "aria-hidden": "true" }, el("span.sv-ticks", null, ticks));
}

/** @param {Series[]} series */
function barLegend(series) {
  const shown = [...series, ...(series.length > 1 ? ["shared"] : [])];
  const names = columns(series).map((name) => el("span.sv-value", null, name));
  const head = el("span", null, keys(...shown.map((name) => /** @type {[string, string]} */ ([name, wordOf(name)]))));
  return el("div.sv-bar-row.sv-bar-head", null, head, names);
}

/** What has a number: beside s also q, which decides. @param {Series[]} series @returns {Series[]} */
export const columns = (series) => (series.includes("s") ? ["p", "q", "s"] : series);

/**
 * A number a column; a q of 1 or 0 is written so.
 * @param {Partial<Record<Series, number | null>>} entry @param {Series[]} series
 */
export const values = (entry, series) =>
  columns(series).map((name) => {
    const value = entry[name] || 0;
    return name === "q" && series.includes("s") ? String(value) : probability(value);
  });

/** @param {Entry} entry @param {number} top @param {Series[]} series @param {boolean} marked */
function barRow(entry, top, series, marked) {
  const { token, p, q } = entry;
  const shared = series.length > 1 ? bar("shared", Math.min(p, q || 0), top) : null;
  const bars = [shared, series.map((name) => bar(name, entry[name] || 0, top))];
  return row(chip(token), bars, values(entry, series), marked);
}

/**
 * All other tokens: numbers without a bar, since a sum over hundreds would dwarf every single token and is not one of
 * them.
 * @param {Partial<Record<Series, number | null>>} rest @param {Series[]} series
 */
function restRow(rest, series) {
  return row(el("span.sv-note", null, WORDS.rest), null, values(rest, series));
}

/** @param {{ token: Token, p: number }} entry @param {number} top @param {boolean} landed */
function residualRow({ token, p }, top, landed) {
  const mark = landed
    ? el("span.sv-landed", { "data-role": "corrected" }, `${ROLES.corrected.glyph} ${WORDS.landed}`)
    : null;
  return row(chip(token), [bar("residual", p, top), mark], [probability(p)], landed);
}
