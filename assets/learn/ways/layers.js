// A drafter drawn on the target's layers: filled is what a draft step runs, a dot stands at each layer that it reads.

import { shape } from "../../shared/shape.js";

/** @import { Stack } from "../types.js" */

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
const LIT = {
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

/** @param {Stack} kind */
export function layers(kind) {
  const { own = 0, reads = [], above = [], again = false, beside = [] } = LIT[kind];
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
