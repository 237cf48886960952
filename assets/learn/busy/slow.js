// Why a server is slow with drafts, by four numbers. The causes and their bounds: specviz/page/learn/chapters/busy.py.

import { select } from "../../shared/controls.js";
import { el } from "../../shared/dom.js";

/** @import { Answers, Slow } from "../../shared/causes.js" */

const LEVELS = ["likely", "possible"];
const OPEN_CAUSES = 3; // causes; what is less likely is folded

/** @param {Slow} table @param {Answers} answers @returns {Record<string, number>} */
function measuresOf({ operations, experts, chosen }, { accepted, K, texts, model }) {
  const union = (/** @type {number} */ tokens) => 1 - (1 - chosen / experts) ** tokens;
  const verified = texts * (K + 1);
  return {
    busy: verified / operations,
    rejected: 1 - accepted,
    thrown: K * (1 - accepted),
    experts: model === "experts" ? union(verified) / union(texts) : 1,
    small: Number(model === "small"),
    always: 1,
  };
}

/**
 * Those that are not unlikely, the likeliest first; of equal ones in the order of the table.
 * @param {Slow} table @param {Answers} answers
 */
export function causes(table, answers) {
  const measures = measuresOf(table, answers);
  return table.causes
    .map((cause) => {
      const level = measures[cause.by] >= cause.likely ? 0 : measures[cause.by] >= cause.possible ? 1 : 2;
      return { level, ...cause };
    })
    .filter(({ level }) => level < LEVELS.length)
    .sort((a, b) => a.level - b.level)
    .map(({ level, ...cause }) => ({ ...cause, level: LEVELS[level] }));
}

/**
 * Four fields, and the causes under them. Nothing is listed while a field has no number that can be.
 * @param {Slow} table @param {{ [name in "accepted" | "K" | "texts"]: number }} example
 */
export function slowPanel(table, { accepted, K, texts }) {
  const { words } = table;
  const number = (/** @type {number} */ value, /** @type {object} */ bounds) =>
    el("input.sv-input", { type: "number", inputmode: "decimal", value, ...bounds });
  const fields = {
    accepted: number(accepted, { min: 0, max: 1, step: "any" }),
    K: number(K, { min: 1, step: 1 }),
    texts: number(texts, { min: 1, step: "any" }),
    model: select(Object.entries(table.models)),
  };
  const list = el("ol.sv-causes", { "aria-live": "polite" });
  const others = el("ol.sv-causes", { start: OPEN_CAUSES + 1 });
  const read = () => {
    const [accepted, K, texts] = [fields.accepted, fields.K, fields.texts].map(({ value, validity }) =>
      value !== "" && validity.valid ? Number(value) : Number.NaN,
    );
    const answers = { accepted, K, texts, model: fields.model.value };
    const known = ![accepted, K, texts].some(Number.isNaN);
    const items = known ? causes(table, answers).map((cause) => item(cause, words)) : [];
    list.replaceChildren(...items.slice(0, OPEN_CAUSES));
    others.replaceChildren(...items.slice(OPEN_CAUSES));
  };
  for (const field of Object.values(fields)) field.addEventListener("input", read);
  read();
  const labels = Object.entries(fields).map(([key, field]) => el("label", null, words[key], " ", field));
  const folded = el("details", null, el("summary", null, words.more), others, el("p.sv-note", null, words.is));
  return el("div.sv-slow", null, el("div.sv-fields.sv-flow", null, labels), list, folded);
}

/** @param {{ cause: string, measure: string, level: string }} cause @param {Record<string, string>} words */
const item = ({ cause, measure, level }, words) =>
  el("li", null, cause, " ", el("span.sv-likely", null, words[level]), el("span.sv-note", null, measure));
