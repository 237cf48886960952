// The speedup by α and by how many texts share the machine, from passes that were measured. One column a batch; the
// rows under them say why they fade: what a check costs there, and what the machine gives all texts together without
// drafting.

import { el } from "../../shared/dom.js";
import { shade } from "../../shared/formula.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { PAGE } from "../lesson.js";
import { share1 } from "../map.js";

/** @import { Batches, Say, View } from "../types.js" */

/** @param {Batches} found @returns {View} */
export function batchMap({ device, target, draft, context, batches: sizes, rows, spoken, block, v, alone }) {
  const cells = rows.map(({ best }) => best.map(cell));
  const costs = v.map((value) => el("td.lrn-cost", null, number(value, 2)));
  const paces = alone.map((value) => el("td.lrn-cost", null, number(value, 0)));
  const heads = [PAGE.busy_texts, ...sizes.map(String)];
  const lines = rows.map(({ alpha }, i) => line(`α ${share1(alpha)}`, cells[i]));
  const under = [line(fillText(PAGE.busy_v, { n: block }), costs), line(PAGE.busy_alone, paces)];
  const caption = el("caption.sv-unseen", null, PAGE.busy_map);
  const map = table(".lrn-map.lrn-busy", heads, [lines, under], caption);
  const alpha = number(rows[spoken].alpha, 1);
  const says = sizes.map((B, j) => {
    const { K, speedup } = rows[spoken].best[j];
    const gains = j === sizes.length - 1 ? PAGE.busy_still : PAGE.busy_more;
    const sentence = B === 1 ? PAGE.busy_one : speedup > 1 ? gains : PAGE.busy_none;
    const values = { B, n: block, v: number(v[j], 2), alpha, K, speedup: number(speedup, 2) };
    return /** @type {Say} */ ([sentence, values]);
  });
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("div.lrn-map-frame", null, map),
      el("p.sv-note", null, [PAGE.map_slower, PAGE.busy_small].join(" · ")),
      el("p.sv-note", null, fillText(PAGE.busy_where, { target, draft, device, context })),
    ),
    says,
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
  return shade(el("td", null, parts), speedup);
}
