// Under a record: what drafting costs, as the reader chooses, and the K that pays at each load.

import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { line as row, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { byCard, byFile, byNumbers, decide, flag, widest } from "./decision.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Costs, Decided, Record } from "./types.js" */

const LOADS = [1, 4, 16, 64, 256];
const CONTEXT = 2048;
const CARD = ["h100", "llama-3.1-8b", "llama-3.2-1b"];
const FILE_LIMIT = 2 ** 20;

/** @param {Record} record @returns {Child} */
export function decision(record) {
  const { evidence } = record;
  const head = el("h4", null, WORDS.decision_title);
  if (evidence.missing) return [head, el("p", null, wordOf(`decision_missing_${evidence.missing}`))];
  const fields = el("div.sv-decision-fields.sv-flow");
  const told = el("div", { "aria-live": "polite" });
  const source = select(["typed", "card", "file"].map((key) => [key, wordOf(`decision_costs_${key}`)]));
  const draw = (/** @type {Asked | null} */ asked) => told.replaceChildren(...(asked ? answer(record, asked) : []));
  const change = () => {
    fields.replaceChildren(...SOURCES[source.value](record, draw));
  };
  source.addEventListener("change", change);
  change();
  const intro = el("p.sv-note", null, WORDS.decision_is);
  return el("div.sv-decision", null, head, intro, labelled("decision_costs", source), fields, told);
}

/** @typedef {{ rows: [number | null, Costs[]][], assumed: string[] }} Asked */
/** @typedef {(asked: Asked | null) => void} Draw */
/** @type {{ [key: string]: (record: Record, draw: Draw) => Node[] }} */
const SOURCES = { typed, card, file };

/** @param {Record} record @param {Draw} draw */
function typed({ evidence, at_once }, draw) {
  const [c, v, texts] = [numberField(), numberField(), numberField(at_once)];
  const block = evidence.measured + 1;
  const read = () => {
    const [cost, pass, load] = [c, v, texts].map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    if (!(cost >= 0 && pass > 0)) return draw(null);
    const assumed = [plain("decision_assumed_line", { block }), WORDS.decision_assumed_load];
    draw({ rows: [[load > 0 ? load : null, byNumbers(evidence.measured, cost, pass)]], assumed });
  };
  for (const field of [c, v, texts]) field.addEventListener("input", read);
  draw(null);
  const named = [labelled("decision_c", c), labelled("decision_v", v), labelled("decision_at_once", texts)];
  return [...named, el("p.sv-note", null, WORDS.decision_unit)];
}

/** @param {Record} record @param {Draw} draw */
function card({ hardware }, draw) {
  const lists = [hardware.cards, hardware.models, hardware.models].map((list, i) => {
    const field = select(list.map(({ key, name }) => [key, name]));
    field.value = CARD[i];
    return field;
  });
  const read = () => {
    const [on, target, draft] = lists.map(({ value }) => value);
    const found = {
      card: hardware.cards.find(({ key }) => key === on) ?? hardware.cards[0],
      target: hardware.models.find(({ key }) => key === target) ?? hardware.models[0],
      draft: hardware.models.find(({ key }) => key === draft) ?? hardware.models[0],
    };
    /** @type {[number, Costs[]][]} */
    const rows = LOADS.map((texts) => {
      return [texts, byCard(hardware, found.card, found.target, found.draft, { texts, context: CONTEXT })];
    });
    const [low, high] = hardware.reach.map((share) => number(100 * share, 0));
    draw({ rows, assumed: [plain("decision_assumed_card", { low, high })] });
  };
  for (const list of lists) list.addEventListener("change", read);
  read();
  return ["decision_card", "decision_target", "decision_draft"].map((key, i) => labelled(key, lists[i]));
}

/** @param {Record} _ @param {Draw} draw */
function file(_, draw) {
  const field = el("input.sv-input", { type: "file", accept: ".json" });
  const bad = el("p", { role: "alert" });
  field.addEventListener("change", async () => {
    const given = field.files?.[0];
    const rows = given && given.size <= FILE_LIMIT ? byFile(await given.text()) : null;
    bad.textContent = given && !rows ? WORDS.decision_file_bad : "";
    draw(rows && { rows, assumed: [WORDS.decision_assumed_medians] });
  });
  draw(null);
  return [labelled("decision_costs_file", field), bad];
}

/** @param {Record} record @param {Asked} asked @returns {Node[]} */
function answer({ engine, evidence, flags }, { rows, assumed }) {
  const made = rows.map(([load, costs]) => ({ load, costs, ...decide(evidence, costs) }));
  /** @type {[number | null, number][]} */
  const loads = made.map(({ load, best }) => [load, best]);
  const open = made.find(({ verdict }) => verdict === "open");
  const values = { measured: evidence.measured, limit: evidence.middle.length };
  const what = [...evidence.assumed.map((key) => plain(`decision_assumed_${key}`, values)), ...assumed].join("; ");
  const flagged = flag(flags, loads);
  const setting = flagged
    ? el("p", null, say("decision_flag", { engine }), " ", el("code", null, flagged))
    : el("p", null, say("decision_flag_none", { engine }));
  return [
    el("div.sv-scroll", null, byLoad(made, evidence.measured)),
    setting,
    el("p.sv-note", null, WORDS.decision_interval_is),
    el("p.sv-note", null, say("decision_assumed", { what })),
    ...(open
      ? [el("p", null, say("decision_next", { what: WORDS[`decision_next_${widest(evidence, open.costs)}`] }))]
      : []),
  ];
}

/** @param {(Decided & { load: number | null })[]} made @param {number} K that was recorded */
function byLoad(made, K) {
  const heads = ["texts", "best", "speedup", "now", "verdict"].map((key) => say(`decision_head_${key}`, { K }));
  const body = made.map(({ load, best, Ks, speedup, now, verdict }) => {
    const ends = el("span.sv-decision-ends", null, `(${Ks.join("–")})`);
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
  el("span.sv-decision-ends", null, `(${number(low, 2)}–${number(high, 2)})`),
];

/** @param {number | null} [value] */
const numberField = (value = null) =>
  el("input.sv-input", { type: "number", min: 0, step: "any", inputmode: "decimal", value });

/** @param {string} key @param {HTMLElement} field */
const labelled = (key, field) => el("label.sv-record-field", null, wordOf(key), " ", field);
