// Steps of a request as columns, filled as far as they were accepted; and how many requests lie where.

import { bar, row } from "../shared/bars.js";
import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { plain, say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { written } from "./requests.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Spread, Steps } from "./types.js" */

/** @param {Steps[]} rounds of several requests: one is shown at a time @returns {Child} */
export function steps(rounds) {
  if (!rounds.length) return null;
  const box = el("div");
  const show = (/** @type {number} */ i) => box.replaceChildren(...stepsOf(rounds[i]));
  show(0);
  return [el("h4", null, WORDS.record_rounds), rounds.length > 1 ? choice(rounds, show) : null, box];
}

/** @param {Steps[]} rounds @param {(i: number) => void} show */
function choice(rounds, show) {
  const list = select(rounds.map(({ request }, i) => [i, String(request)]));
  list.addEventListener("change", () => show(Number(list.value)));
  return el("label.sv-record-field", null, WORDS.record_rounds_of, " ", list);
}

/** @param {Steps} of */
function stepsOf({ steps, accepted, drafted }) {
  const top = Math.max(1, ...accepted, ...(drafted ?? []));
  const columns = accepted.map((kept, i) => {
    const all = drafted ? drafted[i] : kept;
    const told = { step: i + 1, accepted: kept, drafted: all };
    const fill = el("span.sv-record-kept");
    fill.style.height = `${all ? (100 * kept) / all : 0}%`;
    const column = el("span.sv-record-drafted", null, fill);
    column.style.height = `${(100 * all) / top}%`;
    return el("span.sv-record-step", { title: plain(drafted ? "record_step" : "record_step_kept", told) }, column);
  });
  const cut = steps > accepted.length ? say("record_rounds_first", { shown: accepted.length, steps }) : [];
  const pairs = accepted.map((kept, i) => (drafted ? `${kept}/${drafted[i]}` : String(kept))).join(" ");
  return [
    el("div.sv-record-bars.sv-flow", { "aria-hidden": "true" }, columns),
    el("p.sv-note", null, say(drafted ? "record_rounds_is" : "record_rounds_is_kept"), " ", cut),
    el("details.sv-note", null, el("summary", null, WORDS.record_rounds_numbers), el("p", null, pairs)),
  ];
}

/** @param {Spread | null} spread @returns {Child} */
export function spread(spread) {
  if (!spread) return null;
  const { what, bins, width } = spread;
  const write = written(what);
  const top = Math.max(...bins);
  const rows = bins.map((count, i) => {
    const from = write(spread.from + i * width);
    const to = write(spread.from + (i + 1) * width);
    return row(`${from}–${to}`, bar("rule", count, top), [String(count)]);
  });
  const { least, median, most } = spread;
  const between = { least: write(least), median: write(median), most: write(most) };
  return [
    el("h4", null, WORDS[`record_spread_${what}`]),
    el("div.sv-bars", null, rows),
    el("p.sv-note", null, say("record_spread_is", between)),
  ];
}
