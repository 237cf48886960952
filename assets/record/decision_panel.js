// Under a record: what drafting costs, as the reader chooses, and the K that pays at each load.

import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { line as row, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { byCard, byFile, byNumbers, decisionOf, flagText, nextMeasurement } from "./decision.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Costs, Decision, Record } from "./types.js" */

const LOADS = [1, 4, 16, 64, 256];
const CONTEXT_TOKENS = 2048;
const CARD = ["h100", "llama-3.1-8b", "llama-3.2-1b"];
const FILE_BYTES = 2 ** 20;

/** @param {Record} record @returns {Child} */
export function decisionPanel(record) {
  const { evidence } = record;
  const head = el("h4", null, WORDS.decision_title);
  if (evidence.missing) return [head, el("p", null, wordOf(`decision_missing_${evidence.missing}`))];
  const fields = el("div.sv-fields.sv-flow");
  const result = el("div", { "aria-live": "polite" });
  const source = select(Object.keys(SOURCES).map((key) => [key, wordOf(`decision_costs_${key}`)]));
  /** @type {Show} */
  const show = (question) => result.replaceChildren(...(question ? answer(record, question) : []));
  const showFields = () => fields.replaceChildren(...SOURCES[source.value](record, show));
  source.addEventListener("change", showFields);
  showFields();
  const intro = el("p.sv-note", null, WORDS.decision_is);
  return el("div.sv-decision", null, head, intro, labelled("decision_costs", source), fields, result);
}

/** @typedef {{ rows: [number | null, Costs[]][], assumed: string[] }} Question */
/** @typedef {(question: Question | null) => void} Show */
/** @type {{ [key: string]: (record: Record, show: Show) => Node[] }} */
const SOURCES = { typed: typedCosts, card: cardCosts, file: fileCosts };

/** @param {Record} record @param {Show} show */
function typedCosts({ evidence, at_once }, show) {
  const [c, v, texts] = [numberField(), numberField(), numberField(at_once)];
  const block = evidence.measured + 1;
  const read = () => {
    const [cost, pass, load] = [c, v, texts].map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    if (!(cost >= 0 && pass > 0)) return show(null);
    const assumed = [plain("decision_assumed_line", { block }), WORDS.decision_assumed_load];
    show({ rows: [[load > 0 ? load : null, byNumbers(evidence.measured, cost, pass)]], assumed });
  };
  for (const field of [c, v, texts]) field.addEventListener("input", read);
  show(null);
  const fields = [labelled("decision_c", c), labelled("decision_v", v), labelled("decision_at_once", texts)];
  return [...fields, el("p.sv-note", null, WORDS.decision_unit)];
}

/** @param {Record} record @param {Show} show */
function cardCosts({ hardware }, show) {
  const lists = [hardware.cards, hardware.models, hardware.models].map((list, i) => {
    const field = select(list.map(({ key, name }) => [key, name]));
    field.value = CARD[i];
    return field;
  });
  const read = () => {
    const [cardKey, ...modelKeys] = lists.map(({ value }) => value);
    const card = hardware.cards.find(({ key }) => key === cardKey) ?? hardware.cards[0];
    const [target, draft] = modelKeys.map(
      (name) => hardware.models.find(({ key }) => key === name) ?? hardware.models[0],
    );
    /** @type {[number, Costs[]][]} */
    const rows = LOADS.map((texts) => [
      texts,
      byCard(hardware, card, target, draft, { texts, context: CONTEXT_TOKENS }),
    ]);
    const [low, high] = hardware.reach.map((share) => number(100 * share, 0));
    show({ rows, assumed: [plain("decision_assumed_card", { low, high })] });
  };
  for (const list of lists) list.addEventListener("change", read);
  read();
  return ["decision_card", "decision_target", "decision_draft"].map((key, i) => labelled(key, lists[i]));
}

/** @param {Record} _ @param {Show} show */
function fileCosts(_, show) {
  const field = el("input.sv-input", { type: "file", accept: ".json" });
  const problem = el("p", { role: "alert" });
  field.addEventListener("change", async () => {
    const upload = field.files?.[0];
    const rows = upload && upload.size <= FILE_BYTES ? byFile(await upload.text()) : null;
    problem.textContent = upload && !rows ? WORDS.decision_file_bad : "";
    show(rows && { rows, assumed: [WORDS.decision_assumed_medians] });
  });
  show(null);
  return [labelled("decision_costs_file", field), problem];
}

/** @param {Record} record @param {Question} question @returns {Node[]} */
function answer({ engine, evidence, flags }, { rows, assumed }) {
  const decisions = rows.map(([load, costs]) => ({ load, costs, ...decisionOf(evidence, costs) }));
  /** @type {[number | null, number][]} */
  const loads = decisions.map(({ load, best }) => [load, best]);
  const open = decisions.find(({ verdict }) => verdict === "open");
  const values = { measured: evidence.measured, limit: evidence.middle.length };
  const what = [...evidence.assumed.map((key) => plain(`decision_assumed_${key}`, values)), ...assumed].join("; ");
  const flag = flagText(flags, loads);
  const code = flag && [" ", el("code", null, flag)];
  const next = open && WORDS[`decision_next_${nextMeasurement(evidence, open.costs)}`];
  return [
    el("div.sv-scroll", null, loadTable(decisions, evidence.measured)),
    el("p", null, phrase(flag ? "decision_flag" : "decision_flag_none", { engine }), code),
    el("p.sv-note", null, WORDS.decision_interval_is),
    el("p.sv-note", null, phrase("decision_assumed", { what })),
    ...(next ? [el("p", null, phrase("decision_next", { what: next }))] : []),
  ];
}

/** @param {(Decision & { load: number | null })[]} decisions @param {number} K that was recorded */
function loadTable(decisions, K) {
  const heads = ["texts", "best", "speedup", "now", "verdict"].map((key) => phrase(`decision_head_${key}`, { K }));
  const body = decisions.map(({ load, best, Ks, speedup, now, verdict }) => {
    const ends = el("span.sv-unbroken", null, `(${Ks.join("–")})`);
    const cells = [[String(best), " ", ends], interval(speedup), interval(now), WORDS[`decision_verdict_${verdict}`]];
    const where = load === null ? WORDS.decision_here : number(load, Number.isInteger(load) ? 0 : 1);
    return row(where, cells);
  });
  return table(".sv-table", heads, body);
}

/** @param {number[]} ends low, middle, high */
const interval = ([low, middle, high]) => [
  number(middle, 2),
  " ",
  el("span.sv-unbroken", null, `(${number(low, 2)}–${number(high, 2)})`),
];

/** @param {number | null} [value] */
const numberField = (value = null) =>
  el("input.sv-input", { type: "number", min: 0, step: "any", inputmode: "decimal", value });

/** @param {string} key @param {HTMLElement} field */
const labelled = (key, field) => el("label.sv-record-field", null, wordOf(key), " ", field);
