// What another engine told of its speculative decoding (specviz/picture/record.py): counts, acceptance by position,
// and what they mean. What it did not tell is named, never guessed.

import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { positionTable } from "../shared/positions.js";
import { phrase, plain } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { decisionPanel } from "./decision_panel.js";

/** @import { Values } from "../shared/sentences.js" */
/** @import { Child } from "../shared/types.js" */
/** @import { Record, Totals } from "./types.js" */

/** A word is the key of the count too; its digits, or a share of 1. @type {[keyof Totals, number | "share"][]} */
const NUMBERS = [
  ["steps", 0],
  ["drafted", 0],
  ["accepted", 0],
  ["accepted_of_drafted", "share"],
  ["drafted_per_step", 2],
  ["tokens_per_step", 2],
  ["tokens_per_pass", 2],
  ["tokens", 0],
  ["tokens_per_second", 1],
];
/** @type {("K" | "at_once")[]} */
const SETTINGS = ["K", "at_once"];

/** @param {Record} record @param {HTMLElement | null} button that closes it */
export function recordPanel(record, button) {
  const { engine, of, requests, silent, untold } = record;
  const key = of === "requests" && requests === 1 ? "record_is_request" : `record_is_${of}`;
  const missing = [WORDS.record_untold_always, ...untold.map((key) => wordOf(`record_untold_${key}`))].join("; ");
  return el(
    "section.sv-record",
    { "aria-label": plain("record_title", { engine }) },
    el("div.sv-record-head", null, el("h3", null, phrase("record_title", { engine })), button),
    el("p", null, phrase(key, { requests }), silent ? [" ", ...phrase("record_silent", { silent })] : null),
    sentenceList(WORDS.record_notes, "record_note", record.notes),
    sentenceList(WORDS.record_means, "record_means", record.means),
    el("div.sv-columns", null, el("div", null, numbers(record)), el("div", null, byPosition(record), byK(record))),
    decisionPanel(record),
    unknownFields(record),
    el("p.sv-note", null, phrase("record_untold", { what: missing }), " ", evidence(record)),
  );
}

/**
 * What was left out and why, before any number is believed; and what the numbers mean.
 * @param {string} title @param {"record_note" | "record_means"} key @param {[string, Values][]} sentences
 * @returns {Child}
 */
function sentenceList(title, key, sentences) {
  if (!sentences.length) return null;
  const lines = sentences.map(([name, values]) => el("li", null, phrase(`${key}_${name}`, values)));
  return [el("h4", null, title), el("ul.sv-record-list", null, lines)];
}

/** @param {Record} record */
function evidence({ format, evidence_of_format }) {
  return format && plain("record_format", { format, evidence: evidence_of_format ?? WORDS.none });
}

/** Steps of several K are no pool. @param {Record} record @returns {Child} */
function byK({ tables }) {
  return tables.flatMap((at) => [
    el("h4", null, plain("record_table_K", { K: at.K ?? WORDS.none })),
    el("p.sv-note", null, plain("record_table_is", { ...at, tokens: number(at.tokens_per_step, 2) })),
    ...(at.positions.length ? positionTable(at.positions) : []),
  ]);
}

/** @param {Record} record */
function numbers(record) {
  const { totals } = record;
  const rows = NUMBERS.filter(([key]) => totals[key] !== null).map(([key, digits]) => {
    const word = key === "tokens_per_second" && totals.paced > 1 ? "record_tokens_per_second_median" : `record_${key}`;
    const value = digits === "share" ? percent(totals[key]) : number(totals[key], digits);
    return line(phrase(word, { ...totals }), [value]);
  });
  const set = SETTINGS.filter((key) => record[key] !== null).map((key) => {
    return line(WORDS[`record_${key}`], [number(record[key], Number.isInteger(record[key]) ? 0 : 1)]);
  });
  return table(".sv-table", null, [rows, set]);
}

/** @param {Record} record @returns {Child} */
function byPosition({ positions }) {
  if (!positions.length) return null;
  return [...positionTable(positions), el("p.sv-note", null, WORDS.record_positions_is)];
}

/** @param {Record} record @returns {Child} */
function unknownFields({ unread }) {
  if (!unread.length) return null;
  const head = [el("summary", null, WORDS.record_unread), el("p.sv-note", null, WORDS.record_unread_is)];
  const rows = unread.map(([name, value]) => line(name, [value]));
  return el("details.sv-record-more", { open: "" }, head, table(".sv-words", null, rows));
}
