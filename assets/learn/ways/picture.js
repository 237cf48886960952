// Chapter 10: ways to draft: what a draft step reads and runs, drawn on the target's layers, what it costs, and what
// was published; then a chain and a tree of the same number of guesses, at one position and on average.

import { legend } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { line, wordTable } from "../../shared/table.js";
import { WORDS } from "../../shared/words.js";
import { addPicture, PAGE } from "../lesson.js";
import { views } from "../views.js";
import { atOnePosition, budget } from "./position.js";

/** @import { Picture, Sentence, Stack, Stage, View, Ways } from "../types.js" */

const BEAT_MS = 2600;
const LAYERS = 6;
const [WIDE, HIGH, STEP] = [34, 4, 6]; // of a layer, and from one to the next
const GROUND = 46; // the foot of all
const BESIDE = 48; // where what stands apart begins

/**
 * `own`: so many of the target's own layers run; `reads`: the layers, from below, whose output a step takes; `above`:
 * the widths of modules of its own on top, one after the other; `again`: the last of them runs on what it made;
 * `beside`: the sizes of what stands apart.
 * @type {Record<Stack, { own?: number, reads?: number[], above?: number[], again?: boolean, beside?: number[][] }>}
 */
const DRAWINGS = {
  beside: {
    beside: [
      [19, HIGH],
      [19, HIGH],
    ],
  },
  first: { own: 2 },
  heads: { reads: [5], above: [13, 13, 13] },
  feature: { reads: [0, 2, 4], above: [24], again: true },
  text: { beside: [[29, 16]] },
  table: { beside: [[24, 19]] },
};

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
  const values = { lookup: costText(c.lookup), bigram: costText(c["poor-draft"]) };
  const costs = ways.map((way) => fillText(way.cost, values));
  const terms = new Set();
  const rows = ways.map((way, i) => {
    const published = [way.published, el("small", null, explain(way.source, {}, terms))];
    return line(way.name, [layers(way.stack), way.reads, costs[i], published]);
  });
  const heads = [PAGE.way, null, PAGE.way_reads, PAGE.way_cost, PAGE.way_published];
  const keys = legend(["stack", PAGE.stack_target], ["tap", PAGE.stack_read], ["q", PAGE.stack_draft]);
  return {
    node: el("div", null, wordTable(".lrn-ways", heads, rows), keys),
    sentences: [...ways.map((way) => /** @type {Sentence} */ ([way.says])), [PAGE.way_end]],
    show(i) {
      for (const [k, row] of rows.entries()) row.toggleAttribute("data-on", k === i);
    },
  };
}

/** A cost that may be too small to write. @param {number | null} value */
export function costText(value) {
  if (value === null) return WORDS.none;
  return `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`;
}

/** Filled is what a draft step runs, a dot stands at each layer that it reads. @param {Stack} kind */
function layers(kind) {
  const { own = 0, reads = [], above = [], again = false, beside = [] } = DRAWINGS[kind];
  const foot = (/** @type {number} */ i) => GROUND - i * STEP - HIGH;
  const box = (/** @type {number} */ x, /** @type {number} */ y, width = WIDE, height = HIGH, lit = true) =>
    shape("rect", { x, y, width, height, "data-lit": lit ? "" : null });
  const sign = (/** @type {number} */ x, /** @type {string} */ text) => shape("text", { x, y: 9 }, text);
  const stack = Array.from({ length: LAYERS }, (_, i) => box(1, foot(i), WIDE, HIGH, i < own));
  const dots = reads.map((i) => shape("circle", { cx: WIDE + 6, cy: foot(i) + HIGH / 2, r: 2.5 }));
  let x = 1;
  const modules = above.flatMap((width, i) => {
    const module = box(x, foot(LAYERS), width);
    x += width + 11;
    const joint = i + 1 < above.length ? "→" : again ? "↻" : "";
    return [module, sign(x - 10, joint)];
  });
  const apart = beside.map(([width, height], i) => box(BESIDE, foot(i) + HIGH - height, width, height));
  const look = { class: "lrn-layers", viewBox: `0 0 80 ${GROUND + 1}`, "aria-hidden": "true" };
  return shape("svg", look, stack, dots, modules, apart);
}

addPicture("ways", waysToDraft);
