// The map of the speedup: a row for each K, a column for each α, and a pair's own point between them.

import { el, setText } from "../shared/dom.js";
import { ALPHAS, along, bestOf, LENGTHS, shade, speedupOf } from "../shared/formula.js";
import { number } from "../shared/numbers.js";
import { share } from "../shared/scale.js";
import { line, table } from "../shared/table.js";
import { PAGE } from "./lesson.js";

/** @import { Cost } from "../shared/formula.js" */

/** @param {number} alpha @param {number} K of the pair */
export function makeMap(alpha, K) {
  const cells = LENGTHS.map(() => ALPHAS.map(() => el("span")));
  const rows = LENGTHS.map((K, i) => line(String(K), cells[i])).reverse();
  const caption = el("caption.sv-unseen", null, PAGE.map);
  const shown = table(".lrn-map", [PAGE.map_K, ...ALPHAS.map(share1)], rows, caption);
  const mark = spot(alpha, K);
  return {
    root: el("div.lrn-map-frame", null, shown, mark),
    /** @param {Cost} cost @param {boolean} elsewhere the numbers under the pair's own point are of another pair then */
    show(cost, elsewhere) {
      ALPHAS.forEach((alpha, j) => {
        const best = bestOf(alpha, cost);
        LENGTHS.forEach((K, i) => {
          const speedup = speedupOf(alpha, K, cost);
          const cell = /** @type {HTMLElement} */ (cells[i][j].parentElement);
          shade(cell, speedup);
          cell.toggleAttribute("data-best", K === best && speedup > 1);
          setText(cells[i][j], number(speedup, speedup < 10 ? 2 : 1));
        });
      });
      mark.toggleAttribute("data-elsewhere", elsewhere);
    },
  };
}

/** A share of 1 with one digit, as a head of a column has room for. @param {number} value */
export const share1 = (value) => number(value, 1).replace(/^0/, "");

/** Columns are of one width, rows of one height; the first is the head. @param {number} alpha @param {number} K */
function spot(alpha, K) {
  const node = el("span.lrn-spot", { "aria-hidden": "true" }, "◇");
  node.style.left = share(1.5 + along(ALPHAS, alpha), ALPHAS.length + 1);
  node.style.top = share(1.5 + LENGTHS.length - 1 - along(LENGTHS, K), LENGTHS.length + 1);
  return node;
}
