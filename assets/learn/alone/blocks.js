// What a pass over n tokens takes: an outline where each token would cost a pass, and inside it what was measured, here
// and on other machines.

import { bar, legend, row } from "../../shared/bars.js";
import { button } from "../../shared/controls.js";
import { el, setText } from "../../shared/dom.js";
import { milliseconds, times } from "../../shared/numbers.js";
import { fill, fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { bound } from "../weights.js";

/** @import { Passes } from "../types.js" */

const BLOCKS = [1, 2, 4, 8, 16];
const MOST = BLOCKS[BLOCKS.length - 1];
const ELSEWHERE = 8; // tokens, as the question asks

/** @param {Passes} passes */
export function blocks(passes) {
  const rows = el("div.sv-bars");
  const told = el("p.sv-note", { "aria-live": "polite" });
  const ask = passes.here ? button(PAGE.measure, passes.ask) : null;

  function draw() {
    const found = passes.found();
    const ms = found && found.error === undefined ? found.ms : null;
    const elsewhere = ms ? others(passes) : []; // they would say what is asked
    rows.replaceChildren(...BLOCKS.map((n) => blockRow(n, ms)), ...elsewhere);
    if (ask) {
      ask.disabled = passes.waiting;
      setText(ask, ms ? PAGE.measure_again : PAGE.measure);
    }
    if (passes.waiting) setText(told, PAGE.measuring);
    else if (found) {
      told.replaceChildren(...fill(!ms ? PAGE.measure_failed : ask ? PAGE.measured : PAGE.recorded, { ...found }));
      if ("bytes" in found) told.append(" ", fillText(PAGE.bound, bound(found, MOST)));
      if (ms) told.append(" ", PAGE.bound_card);
    }
  }

  passes.hear(draw);
  draw();
  const head = el("div.sv-flow.sv-ends", null, el("h4", null, PAGE.blocks), ask);
  const keys = legend(["target", PAGE.blocks_measured], ["outline", PAGE.blocks_outline]);
  return el("div.lrn-blocks", null, head, keys, rows, told);
}

/** What machines took that are not the one on show. @param {Passes} passes */
function others({ here, recorded }) {
  return recorded.slice(here ? 0 : 1).map(({ target, device, ms }) => {
    return blockRow(ELSEWHERE, ms, fillText(PAGE.elsewhere, { n: ELSEWHERE, target, device }));
  });
}

/** @param {number} n @param {Record<number, number> | null} ms @param {string} [name] */
function blockRow(n, ms, name = fillText(PAGE.blocks_n, { n })) {
  const outline = bar("outline", n, MOST);
  if (!ms) return row(name, outline, [PAGE.blocks_ask]);
  const ratio = ms[n] / ms[1];
  const value = `${times(ratio)} · ${fillText(PAGE.blocks_ms, { ms: milliseconds(ms[n]) })}`;
  return row(name, [outline, bar("target", ratio, MOST)], [value]);
}
