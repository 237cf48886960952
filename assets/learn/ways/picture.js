// Chapter 10: ways to draft: what a draft step reads and runs, drawn on the target's layers, what it costs, and what
// was published; then a chain and a tree of the same number of guesses, at one position and on average.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { WORDS } from "../../shared/words.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { legend } from "../rows.js";
import { unseen } from "../tokens.js";
import { views } from "../views.js";
import { budget } from "./budget.js";
import { layers } from "./layers.js";
import { atOnePosition } from "./position.js";

/** @import { Picture, Say, Stage, View, Ways } from "./types.js" */

const BEAT_MS = 2600;

/** @param {Ways} excerpt @param {Stage} stage @returns {Picture} */
function waysToDraft({ c, ways, shapes }, stage) {
  const table = { ...waysTable({ c, ways }), word: PAGE.ways_view };
  if (!shapes) return views("lrn-others", [table], BEAT_MS, stage);
  const position = { ...atOnePosition(shapes, stage), word: PAGE.position_view };
  const whole = { ...budget(shapes, stage), word: PAGE.shapes_view };
  return views("lrn-others", [table, position, whole], BEAT_MS, stage);
}

/** @param {Pick<Ways, "c" | "ways">} excerpt @returns {View} */
function waysTable({ c, ways }) {
  const values = { lookup: small(c.lookup), bigram: small(c["poor-draft"]) };
  const costs = ways.map((way) => filled(way.cost, values));
  const rows = ways.map((way, i) => {
    const facts = [
      el("td", { "data-head": PAGE.way_reads }, way.reads),
      el("td", { "data-head": PAGE.way_cost }, costs[i]),
      el("td", { "data-head": PAGE.way_published }, way.published, el("small", null, way.source)),
    ];
    return el("tr", null, el("th", { scope: "row" }, way.name), el("td", null, layers(way.stack)), facts);
  });
  const words = [PAGE.way, null, PAGE.way_reads, PAGE.way_cost, PAGE.way_published];
  const head = words.map((word) => (word === null ? el("td", null, unseen("")) : el("th", { scope: "col" }, word)));
  const table = el("table.lrn-ways", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
  const says = ways.map(({ name, reads }, i) => /** @type {Say} */ ([PAGE.way_says, { name, reads, cost: costs[i] }]));
  const keys = legend(["stack", PAGE.stack_target], ["tap", PAGE.stack_read], ["q", PAGE.stack_draft]);
  return {
    node: el("div", null, table, keys),
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

addPicture("ways", waysToDraft);
