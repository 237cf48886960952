// The map of the speedup: a row for each K, a column for each α, and a pair's own point between them.

import { el, setText } from "../shared/dom.js";
import { ALPHAS, bestOf, fractionalIndex, LENGTHS, shadeNode, speedupOf } from "../shared/formula.js";
import { number } from "../shared/numbers.js";
import { share } from "../shared/scale.js";
import { line, table } from "../shared/table.js";
import { PAGE } from "./lesson.js";

/** @import { Cost } from "../shared/formula.js" */

export const PAIR_SIGN = "◇";

/** @param {number} alpha @param {number} K of the pair */
export function makeMap(alpha, K) {
  const cells = LENGTHS.map(() => ALPHAS.map(() => el("span")));
  const rows = LENGTHS.map((K, i) => line(String(K), cells[i])).reverse();
  const caption = el("caption.sv-unseen", null, PAGE.map);
  const grid = table(".lrn-map", [PAGE.map_K, ...ALPHAS.map(oneDigitShare)], rows, caption);
  const mark = pairMark(alpha, K);
  return {
    root: el("div.lrn-map-frame", null, grid, mark),
    /** @param {Cost} cost @param {boolean} elsewhere the numbers under the pair's own point are of another pair then */
    show(cost, elsewhere) {
      ALPHAS.forEach((alpha, j) => {
        const best = bestOf(alpha, cost);
        LENGTHS.forEach((K, i) => {
          const speedup = speedupOf(alpha, K, cost);
          const cell = /** @type {HTMLElement} */ (cells[i][j].parentElement);
          shadeNode(cell, speedup);
          cell.toggleAttribute("data-best", K === best && speedup > 1);
          setText(cells[i][j], number(speedup, speedup < 10 ? 2 : 1));
        });
      });
      mark.toggleAttribute("data-elsewhere", elsewhere);
    },
  };
}

/** A share of 1 with one digit, as a head of a column has room for. @param {number} value */
export const oneDigitShare = (value) => number(value, 1).replace(/^0/, "");

/** Columns are of one width, rows of one height; the first is the head. @param {number} alpha @param {number} K */
function pairMark(alpha, K) {
  const node = el("span.lrn-spot", { "aria-hidden": "true" }, PAIR_SIGN);
  node.style.left = share(1.5 + fractionalIndex(ALPHAS, alpha), ALPHAS.length + 1);
  node.style.top = share(1.5 + LENGTHS.length - 1 - fractionalIndex(LENGTHS, K), LENGTHS.length + 1);
  return node;
}
