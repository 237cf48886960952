// Chapter 11: when not to draft: many texts at once as measured, a large server by arithmetic, a mixture of experts.

import { el } from "../../shared/dom.js";
import { shadeNode } from "../../shared/formula.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { addPicture, PAGE } from "../lesson.js";
import { oneDigitShare } from "../map.js";
import { views } from "../views.js";
import { blockExperts } from "./experts.js";
import { server } from "./server.js";
import { slowPanel } from "./slow.js";

/** @import { Batches, Busy, Picture, Sentence, Stage, View } from "../types.js" */

const BEAT_MS = 2600;
const EXAMPLE = { accepted: 0.5, K: 4, texts: 32 };

/** @param {Busy} excerpt @param {Stage} stage @returns {Picture} */
function busy({ measured, experts, slow: table }, stage) {
  const shortName = (/** @type {string} */ device) => device.replace(/,.*| \d+ ?GB.*/, ""); // the table says it whole
  const word = (/** @type {string} */ device) =>
    measured.length > 1 ? fillText(PAGE.busy_on, { device: shortName(device) }) : PAGE.busy;
  const sentences = /** @type {Sentence[]} */ ([[PAGE.slow_says]]);
  const parts = [
    ...measured.map((batches) => ({ ...batchMap(batches), word: word(batches.device) })),
    { ...server(stage), word: PAGE.server },
    ...(experts ? [{ ...blockExperts(experts, stage), word: PAGE.experts_view }] : []),
    { node: el("div", null, slowPanel(table, EXAMPLE)), sentences, word: PAGE.slow_view },
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

/**
 * The speedup by α and by how many texts share the machine, from passes that were measured. The rows under it say why
 * it fades: what a check costs there, and what the machine gives all texts together without drafting.
 * @param {Batches} batches @returns {View}
 */
function batchMap({ device, target, draft, context, batches: sizes, rows, spoken, block, v, alone }) {
  const cells = rows.map(({ best }) => best.map(cell));
  const costs = v.map((value) => el("td.lrn-cost", null, number(value, 2)));
  const paces = alone.map((value) => el("td.lrn-cost", null, number(value, 0)));
  const heads = [PAGE.busy_texts, ...sizes.map(String)];
  const lines = rows.map(({ alpha }, i) => line(`α ${oneDigitShare(alpha)}`, cells[i]));
  const under = [line(fillText(PAGE.busy_v, { n: block }), costs), line(PAGE.busy_alone, paces)];
  const caption = el("caption.sv-unseen", null, PAGE.busy_map);
  const map = table(".lrn-map.lrn-busy", heads, [lines, under], caption);
  const alpha = number(rows[spoken].alpha, 1);
  const sentences = sizes.map((B, j) => {
    const { K, speedup } = rows[spoken].best[j];
    const gains = j === sizes.length - 1 ? PAGE.busy_still : PAGE.busy_more;
    const sentence = B === 1 ? PAGE.busy_one : speedup > 1 ? gains : PAGE.busy_none;
    const values = { B, n: block, v: number(v[j], 2), alpha, K, speedup: number(speedup, 2) };
    return /** @type {Sentence} */ ([sentence, values]);
  });
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("div.lrn-map-frame", null, map),
      el("p.sv-note", null, [PAGE.map_slower, PAGE.busy_small].join(" · ")),
      el("p.sv-note", null, fillText(PAGE.busy_where, { target, draft, device, context })),
    ),
    sentences,
    show(i) {
      for (const row of [...cells, costs, paces]) {
        for (const [j, node] of row.entries()) node.toggleAttribute("data-later", j > i);
      }
    },
  };
}

/** @param {{ K: number, speedup: number }} best */
function cell({ K, speedup }) {
  const gain = number(speedup, 2);
  const parts =
    speedup < 1
      ? [el("span", null, PAGE.busy_dont), el("small", null, ` ${gain}`)]
      : [el("span", null, gain), el("small", null, ` K\u00a0${K}`)];
  return shadeNode(el("td", null, parts), speedup);
}

addPicture("busy", busy);
