// Bars for distributions: which tokens have a row, with an axis below them.

import { bar, keys, row } from "../shared/bars.js";
import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { scaleTop } from "../shared/scale.js";
import { phrase } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";

/** @import { Distribution, Series } from "../plot/types.js" */
/** @import { Entry, Position, Residual, Token } from "../shared/types.js" */

/**
 * @typedef {{ token: Token, p?: number | null, q?: number | null }} Subject the token in question, with its p and q if
 * known apart
 */

const LEAST_SHARE = 5e-4; // what rounds to less in three decimals has no row
const MAX_ROWS = 8;
const MAX_RESIDUAL_ROWS = 7;

/**
 * p over q, with what they share drawn behind both. Where the draft's largest was drafted, q is 1 or 0, a number
 * without a bar, and under p stands the draft's own softmax s.
 * @param {Position} position @param {Subject} subject
 */
export function positionBars(position, subject) {
  const series = seriesOf(position);
  const { rows, rest } = largestEntries(position, subject);
  const top = scaleTop(rows.flatMap((entry) => series.map((name) => entry[name] || 0)));
  const barRows = rows.map((entry) => barRow(entry, top, series, entry.token.id === subject.token.id));
  const colours = [...series, ...(series.length > 1 ? ["shared"] : [])];
  const head = el("span", null, keys(...colours.map((name) => /** @type {[string, string]} */ ([name, wordOf(name)]))));
  const names = columns(series).map((name) => el("span.sv-value", null, name));
  const legend = el("div.sv-bar-row.sv-bar-head", null, head, names);
  const others = series.some((name) => (rest[name] || 0) > LEAST_SHARE) ? restRow(rest, series) : null;
  return el("div.sv-bars", null, legend, barRows, axis(top), others);
}

/**
 * All that a plot draws: every token that the run kept of the position, and what has a number there.
 * @param {Position} position @param {Subject} subject @returns {Distribution}
 */
export function distributionOf(position, subject) {
  const series = seriesOf(position);
  const all = largestEntries(position, subject, Number.POSITIVE_INFINITY);
  return { ...all, series, columns: columns(series), chosen: subject.token.id };
}

/** What has bars. @param {Position} position @returns {Series[]} */
const seriesOf = ({ beta, own }) => (beta === null ? ["p"] : own ? ["p", "s"] : ["p", "q"]);

/** The residual, and the row where the replacement was drawn. @param {Residual} residual @param {Token} replacement */
export function residualBars(residual, replacement) {
  const { rows, match, rest } = largestResidualEntries(residual, replacement);
  const top = scaleTop(rows.map(({ p }) => p));
  const bars = rows.map((each) => residualRow(each, top, each === match));
  const others = rest > LEAST_SHARE ? restRow({ p: rest, q: null }, ["p"]) : null;
  const note = match ? null : el("p.sv-note", null, phrase("landed_elsewhere", { x: chip(replacement) }));
  return el("div.sv-bars", null, bars, axis(top), others, note);
}

/** @param {number} top */
function axis(top) {
  const ticks = [0, top / 2, top].map((tick) => el("span", null, String(Number(tick.toFixed(2)))));
  return el("div.sv-bar-row", { "aria-hidden": "true" }, el("span.sv-ticks", null, ticks));
}

/** What has a number: beside s also q, which decides. @param {Series[]} series @returns {Series[]} */
const columns = (series) => (series.includes("s") ? ["p", "q", "s"] : series);

/**
 * A number a column; a q of 1 or 0 is written so.
 * @param {Partial<Record<Series, number | null>>} entry @param {Series[]} series
 */
const columnTexts = (entry, series) =>
  columns(series).map((name) => {
    const value = entry[name] || 0;
    return name === "q" && series.includes("s") ? String(value) : probability(value);
  });

/** @param {Entry} entry @param {number} top @param {Series[]} series @param {boolean} isSubject */
function barRow(entry, top, series, isSubject) {
  const { token, p, q } = entry;
  const shared = series.length > 1 ? bar("shared", Math.min(p, q || 0), top) : null;
  const bars = [shared, series.map((name) => bar(name, entry[name] || 0, top))];
  return row(chip(token), bars, columnTexts(entry, series), isSubject);
}

/**
 * All other tokens: numbers without a bar, since a sum over hundreds would dwarf every single token and is not one of
 * them.
 * @param {Partial<Record<Series, number | null>>} rest @param {Series[]} series
 */
const restRow = (rest, series) => row(el("span.sv-note", null, WORDS.rest), null, columnTexts(rest, series));

/** @param {{ token: Token, p: number }} entry @param {number} top @param {boolean} isReplacement */
function residualRow({ token, p }, top, isReplacement) {
  const mark = isReplacement
    ? el("span.sv-landed", { "data-role": "corrected" }, `${ROLES.corrected.glyph} ${WORDS.landed}`)
    : null;
  return row(chip(token), [bar("residual", p, top), mark], [probability(p)], isReplacement);
}

/** @param {{ p: number, q?: number | null, s?: number | null }[]} entries @param {Series} key */
const total = (entries, key) => entries.reduce((sum, entry) => sum + (entry[key] || 0), 0);

/**
 * The largest of p and q, and of the draft's own softmax s where its largest was drafted; and the subject even where it
 * is not among them. Of the rest `q` is null where there is no q, and `s` is there where there is one.
 * @param {Position} position @param {Subject} subject @param {number} [most] rows, beside the subject's
 * @returns {{ rows: Entry[], rest: { p: number, q: number | null, s?: number } }}
 */
export function largestEntries(position, subject, most = MAX_ROWS) {
  const { beta, own: softmax, p_rest, q_rest } = position;
  const entries = position.entries.map((entry, i) => (softmax ? { ...entry, s: softmax.entries[i] } : entry));
  const size = (/** @type {Entry} */ { p, q, s }) => Math.max(p, q || 0, s || 0);
  const rows = [...entries].sort((a, b) => size(b) - size(a)).slice(0, most);
  const match = entries.find(({ token }) => token.id === subject.token.id);
  const { p, q } = subject;
  const own = match || (p === undefined || p === null ? null : { token: subject.token, p, q: q ?? null });
  if (own && !rows.includes(own)) rows.push(own);
  const subtracted = match || !own ? { p: 0, q: 0 } : own; // it is in the sum of the rest, and leaves it for its row
  const hidden = entries.filter((entry) => !rows.includes(entry));
  return {
    rows,
    rest: {
      ...(softmax ? { s: softmax.rest + total(hidden, "s") } : {}),
      p: Math.max(0, p_rest - subtracted.p + total(hidden, "p")),
      q: beta === null ? null : Math.max(0, (q_rest || 0) - (subtracted.q || 0) + total(hidden, "q")),
    },
  };
}

/**
 * The largest of the residual, and the token that was drawn from it if it is known there.
 * @param {Residual} residual @param {Token} replacement
 */
export function largestResidualEntries(residual, replacement) {
  const rows = residual.entries.slice(0, MAX_RESIDUAL_ROWS);
  const match = residual.entries.find(({ token }) => token.id === replacement.id) || null;
  if (match && !rows.includes(match)) rows.push(match);
  const hidden = residual.entries.filter((entry) => !rows.includes(entry));
  return { rows, match, rest: residual.rest + total(hidden, "p") };
}
