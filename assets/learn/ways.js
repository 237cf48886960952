// Six ways to draft: what a draft step reads, drawn on the target's layers, what it costs, and what was published.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { filled } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { LESSON, PAGE } from "./lesson.js";
import { legend } from "./rows.js";
import { unseen } from "./tokens.js";

/** @import { Others, Say, Stack, View } from "./types.js" */

const LAYERS = 6;
/**
 * What a draft step runs: so many of the target's own layers, so many parts above them, others beside them.
 * @type {Record<Stack, { own: number, above: number, beside: string[] }>}
 */
const LIT = {
  beside: { own: 0, above: 0, beside: ["i", "i"] },
  first: { own: 2, above: 0, beside: [] },
  heads: { own: 0, above: 3, beside: [] },
  feature: { own: 0, above: 1, beside: [] },
  text: { own: 0, above: 0, beside: ["em"] },
  table: { own: 0, above: 0, beside: ["b"] },
};

/** @param {Others["c"]} c of the drafters that the words name @returns {View} */
export function ways(c) {
  const values = { lookup: small(c.lookup), bigram: small(c["poor-draft"]) };
  const costs = LESSON.ways.map((way) => filled(way.cost, values));
  const rows = LESSON.ways.map((way, i) => {
    const published = el("td", null, way.published, el("small", null, way.source));
    const facts = [el("td", null, layers(way.stack)), el("td", null, way.reads), el("td", null, costs[i]), published];
    return el("tr", null, el("th", { scope: "row" }, way.name), facts);
  });
  const words = [PAGE.way, null, PAGE.way_reads, PAGE.way_cost, PAGE.way_published];
  const head = words.map((word) => (word === null ? el("td", null, unseen("")) : el("th", { scope: "col" }, word)));
  const table = el("table.lrn-ways", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
  const says = LESSON.ways.map(
    ({ name, reads }, i) => /** @type {Say} */ ([PAGE.way_says, { name, reads, cost: costs[i] }]),
  );
  return {
    node: el("div", null, table, legend(["stack", PAGE.stack_target], ["q", PAGE.stack_draft])),
    says: [...says, [PAGE.way_end]],
    show(i) {
      rows.forEach((row, k) => {
        row.toggleAttribute("data-on", k === i);
      });
    },
  };
}

/** A cost that may be too small to write. @param {number | null} value */
export function small(value) {
  if (value === null) return WORDS.none;
  return `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`;
}

/** The target as a stack of layers, and the draft: lit is what a draft step runs. @param {Stack} kind */
function layers(kind) {
  const { own, above, beside } = LIT[kind];
  const layer = (/** @type {boolean} */ lit) => el("i", { "data-lit": lit ? "" : null });
  const stack = Array.from({ length: LAYERS }, (_, i) => layer(i < own));
  const tower = el(
    "span.lrn-tower",
    null,
    el(
      "span.lrn-above",
      null,
      Array.from({ length: above }, () => layer(true)),
    ),
    el("span.lrn-stack-target", null, stack),
  );
  const parts = beside.map((tag) => el(`i.lrn-own-${tag}`, { "data-lit": "" }));
  return el("span.lrn-layers", { "data-kind": kind, "aria-hidden": "true" }, tower, el("span.lrn-beside", null, parts));
}
