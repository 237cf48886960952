// Chapter 10: ways to draft: what a draft step reads and runs, drawn on the target's layers, what it costs, and what
// was published; then a chain and a tree of the same number of guesses, at one position and on average.

import { legend } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, wordTable } from "../../shared/table.js";
import { WORDS } from "../../shared/words.js";
import { PAGE } from "../lesson.js";
import { addPicture } from "../pictures.js";
import { views } from "../views.js";
import { budget } from "./budget.js";
import { layers } from "./layers.js";
import { atOnePosition } from "./position.js";

/** @import { Picture, Say, Stage, View, Ways } from "../types.js" */

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
  const costs = ways.map((way) => fillText(way.cost, values));
  const seen = new Set();
  const rows = ways.map((way, i) => {
    const published = [way.published, el("small", null, explain(way.source, {}, seen))];
    return line(way.name, [layers(way.stack), way.reads, costs[i], published]);
  });
  const heads = [PAGE.way, null, PAGE.way_reads, PAGE.way_cost, PAGE.way_published];
  const says = ways.map((way) => /** @type {Say} */ ([way.says]));
  const keys = legend(["stack", PAGE.stack_target], ["tap", PAGE.stack_read], ["q", PAGE.stack_draft]);
  return {
    node: el("div", null, wordTable(".lrn-ways", heads, rows), keys),
    says: [...says, [PAGE.way_end]],
    show(i) {
      for (const [k, row] of rows.entries()) row.toggleAttribute("data-on", k === i);
    },
  };
}

/** A cost that may be too small to write. @param {number | null} value */
export function small(value) {
  if (value === null) return WORDS.none;
  return `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`;
}

addPicture("ways", waysToDraft);
