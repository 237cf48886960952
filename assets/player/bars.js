// Bars for distributions: which tokens have a row, with an axis below them. And u on [0, 1) with the threshold min(1, p/q):
// left of it a token stays, right of it it goes; with a handle: what if u had been another?

import { plotProbabilities } from "../plot/plot.js";
import { branches } from "../trace/events.js";
import { limitOf } from "./clock.js";
import { bar, button, chip, el, keys, row, scaleTop } from "./dom.js";
import { currentRun } from "./page.js";
import { makeScale } from "./round.js";
import { phrase, plain, probability, ROLES, WORDS, wordOf } from "./words.js";

/** @import { Distribution, Series } from "../plot/types.js" */
/** @import { Config, Drafted, Entry, Position, Residual, Round, Token } from "../shared/types.js" */

/**
 * @typedef {{ token: Token, p?: number | null, q?: number | null }} Subject the token in question, with its p and q if
 * known apart
 */

const LEAST_SHARE = 5e-4; // what rounds to less in three decimals has no row
const MAX_ROWS = 8;
const MAX_RESIDUAL_ROWS = 7;

/** What has bars: of a position what its tokens were drawn from, or the softmax before temperature 0.
 * @typedef {Pick<Position, "entries" | "p_rest" | "q_rest" | "own">} Bars */

/** p over q, with what they share drawn behind both. Where the draft's largest was drafted, q is 1 or 0, a number
 * without a bar, and under p stands the draft's own softmax s. @param {Bars} position @param {Subject} subject
 * @param {(token: Token) => string} [becomes] of p and q before temperature 0 what that makes of a token's */
export function positionBars(position, subject, becomes) {
  const series = seriesOf(position);
  const { rows, rest } = largestEntries(position, subject);
  const top = scaleTop(rows.flatMap((entry) => series.map((name) => entry[name] || 0)));
  const barRows = rows.map((entry) => {
    const { token, p, q } = entry;
    const shared = series.length > 1 && !becomes ? bar("shared", Math.min(p, q || 0), top) : null;
    const bars = [shared, series.map((name) => bar(name, entry[name] || 0, top))];
    const zero = becomes ? [el("strong", null, becomes(token))] : [];
    return row(chip(token), bars, [...columnTexts(entry, series), ...zero], token.id === subject.token.id);
  });
  const colours = [...series, ...(series.length > 1 && !becomes ? ["shared"] : [])];
  const head = el("span", null, keys(...colours.map((name) => /** @type {[string, string]} */ ([name, wordOf(name)]))));
  const names = [...columns(series), ...(becomes ? [WORDS.softmax_zero] : [])].map((name) => el("span.sv-value", null, name));
  const legend = el("div.sv-bar-row.sv-bar-head", null, head, names);
  const others = series.some((name) => (rest[name] || 0) > LEAST_SHARE) ? restRow(rest, series) : null;
  return el("div.sv-bars", null, legend, barRows, axis(top), others);
}

/** All that a plot draws: every token that the run kept of the position, and what has a number there.
 * @param {Bars} position @param {Subject} subject @returns {Distribution} */
export function distributionOf(position, subject) {
  const series = seriesOf(position);
  const all = largestEntries(position, subject, Number.POSITIVE_INFINITY);
  return { ...all, series, columns: columns(series), chosen: subject.token.id };
}

/** On a page that has Plotly to give. @param {Distribution} distribution */
export function plotButton(distribution) {
  if (!currentRun.plotly) return null;
  const word = WORDS[distribution.series.length > 1 ? "plot_open" : "plot_open_p"];
  return button(word, () => plotProbabilities(distribution), { class: "sv-plot-button" });
}

/** What has bars. @param {Bars} position @returns {Series[]} */
const seriesOf = ({ q_rest, own }) => (q_rest === null ? ["p"] : own ? ["p", "s"] : ["p", "q"]);

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

/** A number a column; a q of 1 or 0 is written so. @param {Partial<Record<Series, number | null>>} entry
 * @param {Series[]} series */
const columnTexts = (entry, series) =>
  columns(series).map((name) => {
    const value = entry[name] || 0;
    return name === "q" && series.includes("s") ? String(value) : probability(value);
  });

/** All other tokens: numbers without a bar, since a sum over hundreds would dwarf every single token and is not one of
 * them. @param {Partial<Record<Series, number | null>>} rest @param {Series[]} series */
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

/** The largest of p and q, and of the draft's own softmax s where its largest was drafted; and the subject even where
 * it is not among them. Of the rest `q` is null where there is no q, and `s` is there where there is one.
 * @param {Bars} position @param {Subject} subject @param {number} [most] rows, beside the subject's
 * @returns {{ rows: Entry[], rest: { p: number, q: number | null, s?: number } }} */
export function largestEntries(position, subject, most = MAX_ROWS) {
  const { own: softmax, p_rest, q_rest } = position;
  const entries = position.entries.map((entry, i) => (softmax ? { ...entry, s: softmax.entries[i] } : entry));
  const size = (/** @type {Entry} */ { p, q, s }) => Math.max(p, q || 0, s || 0);
  const rows = [...entries].sort((a, b) => size(b) - size(a)).slice(0, most);
  const match = entries.find(({ token }) => token.id === subject.token.id);
  const { p, q } = subject;
  const own = match || (p === undefined || p === null ? null : { token: subject.token, p, q: q ?? null });
  if (own && !rows.includes(own)) rows.push(own);
  const subtracted = match || !own ? { p: 0, q: 0 } : own; // it is in the sum of the rest, and leaves it for its row
  const others = entries.filter((entry) => !rows.includes(entry));
  return {
    rows,
    rest: {
      ...(softmax ? { s: softmax.rest + total(others, "s") } : {}),
      p: Math.max(0, p_rest - subtracted.p + total(others, "p")),
      q: q_rest === null ? null : Math.max(0, q_rest - (subtracted.q || 0) + total(others, "q")),
    },
  };
}

/** The largest of the residual, and the token that was drawn from it if it is known there. @param {Residual} residual
 * @param {Token} replacement */
export function largestResidualEntries(residual, replacement) {
  const rows = residual.entries.slice(0, MAX_RESIDUAL_ROWS);
  const match = residual.entries.find(({ token }) => token.id === replacement.id) || null;
  if (match && !rows.includes(match)) rows.push(match);
  const others = residual.entries.filter((entry) => !rows.includes(entry));
  return { rows, match, rest: residual.rest + total(others, "p") };
}

/** What u is held against, by its name. @param {Config} config */
export const limitName = ({ verifier }) => wordOf(`limit_is_${verifier}`);

/** @param {number} whole what u must be below @param {Config} config @param {number | null} u u; none before it is
 * drawn */
function uScale(whole, config, u) {
  const scale = makeScale(WORDS.u_keep, WORDS.u_reject);
  const uText = u === null ? WORDS.u_waits : plain("u_mark", { u: probability(u) });
  const line = plain(whole >= 1 ? "u_any" : "u_line", { limit: limitName(config), ratio: limitText(whole) });
  scale.show(whole, u, uText, line);
  return scale;
}

/** Where q is 0 there is no ratio. @param {number} limit */
const limitText = (limit) => probability(Number.isFinite(limit) ? limit : null);

/** The scale before u is drawn. @param {Drafted} drafted @param {Config} config */
export function waitingScale(drafted, config) {
  return el("div.sv-u-try", null, uScale(limitOf(drafted, config), config, null).root);
}

/** The scale, and a handle on it with a sentence on what another u would change. @param {Round} round
 * @param {Drafted} drafted @param {Config} config @param {number} runU the u of the run */
export function triedScale(round, drafted, config, runU) {
  const limit = limitOf(drafted, config);
  const scale = uScale(limit, config, runU);
  const keptByLater = isKeptByLater(drafted, round, config);
  const carries = carriesEarlier(drafted, round, config);
  const range = { type: "range", min: 0, max: 0.999, step: 0.001, "aria-label": WORDS.try_u };
  const handle = el("input.sv-try", range);
  const sentence = el("p.sv-tried", { "aria-live": "polite" });
  const back = button(WORDS.try_back, resetAndFocus, { class: "sv-back" });
  const line = el("div.sv-tries", null, sentence, back);
  const after = branches(round) ? null : round.drafted.length - round.drafted.indexOf(drafted) - 1;

  function updateScale() {
    const u = Number(handle.value);
    const isMoved = handle.dataset.moved !== undefined;
    const { accepted, same, key } = hypotheticalVerdict(u, drafted, after, limit, keptByLater, carries);
    const verdict = WORDS[accepted ? "u_keep" : "u_reject"];
    handle.setAttribute("aria-valuetext", plain("try_value", { u: probability(u), verdict }));
    scale.place([runU, u]);
    back.disabled = !isMoved;
    line.dataset.verdict = !isMoved ? "" : same ? "same" : "other";
    const limitValues = { limit: limitName(config), ratio: limitText(limit) };
    const values = { x: chip(drafted.token), u: probability(u), ...limitValues, n: after ?? 0 };
    sentence.replaceChildren(...(isMoved ? phrase(key, values) : phrase("try_hint")));
  }
  function resetHandle() {
    handle.value = String(runU);
    delete handle.dataset.moved;
    updateScale();
  }
  function resetAndFocus() {
    resetHandle();
    handle.focus({ preventScroll: true }); // the button is off now
  }
  handle.addEventListener("input", () => {
    handle.dataset.moved = "";
    updateScale();
  });
  resetHandle();
  // beside the scale, which is one picture to a screen reader
  return [el("div.sv-u-try", null, scale.root, handle), line];
}

/** Whether a token after this one keeps it, whatever its own u: under block verification the longest beginning stays.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config */
export function isKeptByLater(drafted, round, config) {
  if (config.verifier !== "block") return false;
  const after = round.drafted.slice(round.drafted.indexOf(drafted) + 1);
  return after.some((later) => later.u !== null && later.u < limitOf(later, config));
}

/** Whether the token before this one stands only because this one passed, as block verification has it.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config */
function carriesEarlier(drafted, round, config) {
  const before = round.drafted[round.drafted.indexOf(drafted) - 1];
  return config.verifier === "block" && before?.u != null && before.u >= limitOf(before, config);
}

/** What another u would have done, as the key of its sentence. @param {number} u @param {Drafted} drafted
 * @param {number | null} after how many tokens were drafted after it; null in a tree @param {number} limit what u must
 * be below @param {boolean} later a token after it keeps it all the same @param {boolean} back the token before it
 * passed only with it */
export function hypotheticalVerdict(u, drafted, after, limit = limitOf(drafted), later = false, back = false) {
  const accepted = later || u < limit; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
  const same = accepted === (drafted.verdict === "accepted");
  const chainKey = after && (after > 1 ? "try_rejected" : "try_rejected_one");
  const rejectedKey = after === null ? "try_rejected_tree" : chainKey || "try_rejected_end";
  let key = accepted ? "try_kept" : back ? "try_rejected_back" : rejectedKey;
  if (same && !accepted) key = "try_same_rejected";
  else if (same && u >= limit) key = "try_same_later";
  else if (same) key = limit >= 1 ? "try_same_sure" : "try_same_kept";
  return { accepted, same, key };
}
