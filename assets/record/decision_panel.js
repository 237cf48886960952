// Under a record: c and v, as the reader measured them, and the K that pays.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { byNumbers, decisionOf, flagText, nextMeasurement } from "./decision.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Record } from "./types.js" */

/** @param {Record} record @returns {Child} */
export function decisionPanel(record) {
  const { evidence } = record;
  const head = el("h4", null, WORDS.decision_title);
  if (evidence.missing) return [head, el("p", null, wordOf(`decision_missing_${evidence.missing}`))];
  const [c, v] = [costField(), costField()];
  const result = el("div", { "aria-live": "polite" });
  const read = () => {
    const [cost, pass] = [c, v].map(({ value }) => (value === "" ? Number.NaN : Number(value)));
    result.replaceChildren(...(cost >= 0 && pass > 0 ? answer(record, cost, pass) : []));
  };
  for (const field of [c, v]) field.addEventListener("input", read);
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
    el(
      "p",
      null,
      phrase(flag ? "decision_flag" : "decision_flag_none", { engine }),
      flag && [" ", el("code", null, flag)],
    ),
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
