// Bars for distributions: which tokens have a row, on the page with an axis below them, and the same as a chart for a
// file.

import { bands, between } from "../chart/axis.js";
import { chart } from "../chart/chart.js";
import { area, note, square } from "../chart/marks.js";
import { saveChart } from "../chart/save.js";
import { LETTER, shortenName } from "../chart/text.js";
import { bar, keys, row } from "../shared/bars.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { scaleTop } from "../shared/scale.js";
import { phrase } from "../shared/sentences.js";
import { chip, chipText } from "../shared/tokens.js";
import { ROLES, WORDS, wordOf } from "../shared/words.js";

/** @import { Entry, Position, Residual, Token } from "../shared/types.js" */

/** @typedef {"p" | "q" | "s"} Series */
/**
 * @typedef {{ token: Token, p?: number | null, q?: number | null }} Subject the token in question, with its p and q if
 * known apart
 */

const LEAST_SHARE = 5e-4; // what rounds to less in three decimals has no row
const MAX_ROWS = 8;
const MAX_RESIDUAL_ROWS = 7;
const [WIDTH, ROW, NUMBER] = [560, 26, 58]; // px: of the chart for a file, a row, a column of numbers
const NAME = 30; // letters of a token there

/**
 * p over q, with what they share drawn behind both. Where the draft's largest was drafted, q is 1 or 0, a number
 * without a bar, and under p stands the draft's own softmax s.
 * @param {Position} position @param {Subject} subject
 */
export function positionBars(position, subject) {
  const { series, colours, rows, rest, top } = contentOf(position, subject);
  const barRows = rows.map((entry) => barRow(entry, top, series, entry.token.id === subject.token.id));
  const head = el("span", null, keys(...colours.map((name) => /** @type {[string, string]} */ ([name, wordOf(name)]))));
  const names = columns(series).map((name) => el("span.sv-value", null, name));
  const legend = el("div.sv-bar-row.sv-bar-head", null, head, names);
  return el("div.sv-bars", null, legend, barRows, axis(top), rest && restRow(rest, series));
}

/**
 * What has bars, by its colours; the tokens with a row, what all others come to if that is anything, and the end of the
 * scale.
 * @param {Position} position @param {Subject} subject
 */
function contentOf(position, subject) {
  const { beta, own } = position;
  /** @type {Series[]} */
  const series = beta === null ? ["p"] : own ? ["p", "s"] : ["p", "q"];
  const { rows, rest } = largestEntries(position, subject);
  return {
    series,
    colours: [...series, ...(series.length > 1 ? ["shared"] : [])],
    rows,
    rest: series.some((name) => (rest[name] || 0) > LEAST_SHARE) ? rest : null,
    top: scaleTop(rows.flatMap((entry) => series.map((name) => entry[name] || 0))),
  };
}

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
 * @param {Position} position @param {Subject} subject
 * @returns {{ rows: Entry[], rest: { p: number, q: number | null, s?: number } }}
 */
export function largestEntries(position, subject) {
  const { beta, own: softmax, p_rest, q_rest } = position;
  const entries = position.entries.map((entry, i) => (softmax ? { ...entry, s: softmax.entries[i] } : entry));
  const size = (/** @type {Entry} */ { p, q, s }) => Math.max(p, q || 0, s || 0);
  const rows = [...entries].sort((a, b) => size(b) - size(a)).slice(0, MAX_ROWS);
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

/** @param {HTMLElement} bars what is on the page @param {Position} position @param {Subject} subject */
export function saveButton(bars, position, subject) {
  const act = () => saveChart(barsChart(position, subject), "svg", "specviz-p-and-q", bars);
  return button(WORDS.save_bars, act, { class: "sv-save-bars" });
}

/** @param {Position} position @param {Subject} subject */
function barsChart(position, subject) {
  const { series, colours, rows, rest, top } = contentOf(position, subject);
  const entries = [...rows, ...(rest ? [rest] : [])];
  const names = entries.map((entry) => ("token" in entry ? shortenName(chipText(entry.token), NAME) : WORDS.rest));
  const heads = columns(series);
  const columnNotes = (/** @type {string[]} */ texts, /** @type {number} */ y) =>
    texts.map((text, i) => note({ y }, text, { dx: NUMBER * (i + 1), dy: 5, anchor: "end", kind: "tick" }));
  const marks = [
    ...rows.flatMap((entry, i) => barsOf(entry, series, i)),
    ...entries.flatMap((entry, i) => columnNotes(columnTexts(entry, series), i)),
    ...columnNotes(heads, -1),
  ];
  const keys = colours.map((name) => ({ sign: square(name), word: wordOf(name) }));
  const y = bands(names);
  const own = rows.findIndex(({ token }) => token.id === subject.token.id);
  if (own >= 0) y.ticks[own].strong = true;
  const frame = { x: 0, y: 0, width: WIDTH, height: 66 + ROW * (entries.length + 1) };
  const left = 16 + LETTER * Math.max(...names.map((name) => name.length));
  const margin = { left, top: 44, right: 14 + NUMBER * heads.length };
  const x = between(0, top, [0, top / 2, top], "", (value) => String(Number(value.toFixed(2))));
  return chart({ width: WIDTH, planes: [{ frame, margin, keys, x, y, marks }] });
}

/** @param {Entry} entry @param {Series[]} series @param {number} i */
function barsOf(entry, series, i) {
  const high = 0.7 / series.length;
  const bars = series.map((name, n) => {
    const y0 = i - 0.35 + n * high;
    return area({ x0: 0, x1: entry[name] || 0, y0, y1: y0 + high }, { series: name });
  });
  if (series.length < 2) return bars;
  const shared = Math.min(entry.p, entry.q || 0);
  return [area({ x0: 0, x1: shared, y0: i - 0.4, y1: i + 0.4 }, { series: "shared" }), ...bars];
}
