// What another engine told of its speculative decoding (specviz/picture/record.py): counts, acceptance by position, and what
// they mean. What it did not tell is named, never guessed. Under it c and v, as the reader measured them, and the K that pays,
// as specviz/picture/record.py has it: tests/assets/record/decided.json holds both together.

import { el, line, positionTable, table } from "../player/dom.js";
import { number, percent, phrase, plain, WORDS, wordOf } from "../player/words.js";
import { tokensOf } from "../trace/events.js";

/** @import { Costs, Evidence, Flags, Record, Totals } from "./types.js" */
/** @import { Values } from "../player/words.js" */
/** @import { Child } from "../shared/types.js" */

const MOST_K = 15; // the largest that is tried
const EQUAL = 1e-9; // closer is rounding

/** Costs of which two numbers are known, v at a block of K drafts: a line from 1 through v, and v from one draft on.
 * @param {number} K @param {number} c @param {number} v @returns {Costs[]} */
export function byNumbers(K, c, v) {
  const passes = (/** @type {(n: number) => number} */ cost) => Array.from({ length: MOST_K + 1 }, (_, n) => cost(n));
  return [
    { c, v: passes((n) => 1 + ((v - 1) * n) / K) },
    { c, v: passes((n) => (n ? v : 1)) },
  ];
}

/** @param {number[]} chances @param {number} K @param {Costs} costs */
const speedup = (chances, K, { c, v }) => tokensOf(chances, K) / (K * c + v[K]);

/** @param {number[]} byK */
const bestOf = (byK) => byK.reduce((best, value, K) => (value > byK[best] * (1 + EQUAL) ? K : best), 0);

/** The first of the costs is the middle one, the others are the ends of what is assumed.
 * @param {Evidence} evidence @param {Costs[]} costs */
export function decisionOf(evidence, costs) {
  const limit = Math.min(evidence.middle.length, ...costs.map(({ v }) => v.length - 1));
  const Ks = Array.from({ length: limit + 1 }, (_, K) => K);
  const table = [evidence.low, evidence.middle, evidence.high].map((chances) =>
    costs.map((each) => Ks.map((K) => speedup(chances, K, each))),
  );
  const best = bestOf(table[1][0]);
  const bests = table.flat().map(bestOf);
  const by_K = Ks.map((K) => [
    Math.min(...table[0].map((row) => row[K])),
    table[1][0][K],
    Math.max(...table[2].map((row) => row[K])),
  ]);
  const pays = best > 0 && by_K[best][0] > 1;
  const never = Math.max(...by_K.slice(1).map(([, , high]) => high)) <= 1;
  const recordedK = Math.min(evidence.measured, limit);
  return {
    verdict: /** @type {"pays" | "none" | "open"} */ (pays ? "pays" : never ? "none" : "open"),
    best,
    Ks: [Math.min(...bests), Math.max(...bests)],
    /** low, middle, high */
    speedup: by_K[best || Math.max(1, recordedK)],
    now: by_K[recordedK],
    by_K,
  };
}

/** What to measure next where the decision is open: a larger K, or what makes the interval widest.
 * @param {Evidence} evidence @param {Costs[]} costs @returns {"K" | "costs" | "acceptance"} */
export function nextMeasurement(evidence, costs) {
  const [low, middle, high] = [evidence.low, evidence.middle, evidence.high].map((level) => level.slice(0, evidence.measured));
  if (decisionOf({ ...evidence, low, middle, high }, costs).verdict !== "open") return evidence.rare ? "acceptance" : "K";
  const exact = decisionOf({ ...evidence, low: evidence.middle, high: evidence.middle }, costs).speedup;
  const certain = decisionOf(evidence, costs.slice(0, 1)).speedup;
  return exact[2] - exact[0] > certain[2] - certain[0] ? "costs" : "acceptance";
}

/** A K as the flag of the engine (specviz/picture/record.py). @param {Flags | null} flags @param {number} K */
export const flagText = (flags, K) =>
  flags && (K ? flags.one.replaceAll("[K1]", String(K + 1)).replaceAll("[K]", String(K)) : flags.off);

/** @param {Record} record @returns {Child} */
function decisionPanel(record) {
  const { evidence } = record;
  const head = el("h4", null, WORDS.decision_title);
  if (evidence.missing) return [head, el("p", null, wordOf(`decision_missing_${evidence.missing}`))];
  const [c, v] = [costField(), costField()];
  const result = el("div", { "aria-live": "polite" });
  const readCosts = () => {
    const [cost, pass] = [c, v].map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    result.replaceChildren(...(cost >= 0 && pass > 0 ? answer(record, cost, pass) : []));
  };
  for (const field of [c, v]) field.addEventListener("input", readCosts);
  const fields = [labelled(WORDS.decision_c, c), labelled(WORDS.decision_v, v)];
  return el(
    "div.sv-decision",
    null,
    head,
    el("p.sv-note", null, WORDS.decision_is),
    el("div.sv-fields.sv-flow", null, fields, el("p.sv-note", null, WORDS.decision_unit)),
    result,
  );
}

/** @param {Record} record @param {number} c @param {number} v @returns {Node[]} */
function answer({ engine, evidence, flags }, c, v) {
  const { measured } = evidence;
  const costs = byNumbers(measured, c, v);
  const { best, Ks, speedup, now, verdict } = decisionOf(evidence, costs);
  const values = { measured, limit: evidence.middle.length, block: measured + 1 };
  const what = [...evidence.assumed, "line", "load"].map((key) => plain(`decision_assumed_${key}`, values)).join("; ");
  const flag = flagText(flags, best);
  const rows = [
    line(WORDS.decision_best, [[`${best} `, el("span.sv-unbroken", null, `(${Ks.join("–")})`)]]),
    line(WORDS.decision_speedup, [interval(speedup)]),
    line(phrase("decision_now", { K: measured }), [interval(now)]),
    line(WORDS.decision_verdict, [WORDS[`decision_verdict_${verdict}`]]),
  ];
  const next = verdict === "open" && WORDS[`decision_next_${nextMeasurement(evidence, costs)}`];
  return [
    table(".sv-table", null, rows),
    el("p", null, phrase(flag ? "decision_flag" : "decision_flag_none", { engine }), flag && [" ", el("code", null, flag)]),
    el("p.sv-note", null, WORDS.decision_interval_is),
    el("p.sv-note", null, phrase("decision_assumed", { what })),
    ...(next ? [el("p", null, phrase("decision_next", { what: next }))] : []),
  ];
}

/** @param {number[]} ends low, middle, high */
const interval = ([low, middle, high]) => [
  `${number(middle, 2)} `,
  el("span.sv-unbroken", null, `(${number(low, 2)}–${number(high, 2)})`),
];

const costField = () => el("input.sv-input", { type: "number", min: 0, step: "any", inputmode: "decimal" });

/** @param {string} name @param {HTMLElement} field */
const labelled = (name, field) => el("label.sv-record-field", null, name, " ", field);

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
  const omissions = [WORDS.record_untold_always, ...untold.map((key) => wordOf(`record_untold_${key}`))].join("; ");
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
    el("p.sv-note", null, phrase("record_untold", { what: omissions }), " ", evidence(record)),
  );
}

/** What was left out and why, before any number is believed; and what the numbers mean.
 * @param {string} title @param {"record_note" | "record_means"} key @param {[string, Values][]} sentences
 * @returns {Child} */
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
