// Requests one by one: the steps of each as columns, how many lie where, the worst of them, acceptance against the
// length of the prompt.

import { between, exact } from "../chart/axis.js";
import { chart } from "../chart/chart.js";
import { dots } from "../chart/marks.js";
import { bar, row } from "../shared/bars.js";
import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { WIDTH } from "./time.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Prompts, Spread, Steps } from "./types.js" */

const HEIGHT = 180;

/** @param {Spread | null} spread @returns {Child} */
export function oneByOne(spread) {
  if (!spread) return null;
  const { what, percentiles, worst, prompts, least, median, most } = spread;
  const format = (/** @type {number} */ value) => (what === "tokens_per_step" ? number(value, 2) : percent(value));
  const shares = Object.fromEntries(Object.entries(percentiles).map(([share, value]) => [`p${share}`, format(value)]));
  const values = { least: format(least), median: format(median), most: format(most) };
  return [
    el("h4", null, WORDS[`record_spread_${what}`]),
    histogram(spread, format),
    el("p.sv-note", null, phrase("record_spread_is", values)),
    el("p.sv-note", null, phrase("record_percentiles_is", shares)),
    el("h4", null, WORDS.record_worst),
    worstOf(what, worst, format),
    prompts ? byPrompt(what, prompts, format) : null,
  ];
}

/** @param {Spread["what"]} what @param {Spread["worst"]} worst @param {(value: number) => string} format */
function worstOf(what, worst, format) {
  const prompt = worst.some((one) => one.prompt !== null);
  const keys = ["request", `value_${what}`, "counts", ...(prompt ? ["prompt"] : [])];
  const heads = keys.map((key) => wordOf(`record_worst_${key}`));
  const rows = worst.map((one) => {
    const counts = plain("position_counts", { reached: one.accepted, drafted: one.drafted });
    return line(String(one.request), [format(one.value), counts, ...(prompt ? [number(one.prompt, 0)] : [])]);
  });
  return table(".sv-table", heads, rows);
}

/** @param {Spread["what"]} what @param {Prompts} prompts @param {(value: number) => string} format @returns {Child} */
function byPrompt(what, { points, of, thirds }, format) {
  const longest = points[points.length - 1][0] || 1;
  const values = points.map(([, value]) => value);
  const [low, high] = what === "tokens_per_step" ? [1, Math.max(2, Math.ceil(Math.max(...values)))] : [0, 1];
  const name = WORDS[`record_worst_value_${what}`];
  const x = { ...exact(0, longest, 4, WORDS.record_worst_prompt), lines: false };
  const y = between(low, high, [low, high], name, format);
  const marks = [
    dots(
      points.map(([length, value]) => ({ x: length, y: value, title: format(value) })),
      { series: "rule", r: 3, name },
    ),
  ];
  const lines = thirds.map(({ from, to, requests, accepted_of_drafted }) =>
    el("li", null, phrase("record_prompts_third", { from, to, requests, share: percent(accepted_of_drafted) })),
  );
  const plane = { frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT }, x, y, marks };
  return [
    el("h4", null, WORDS.record_prompts),
    chart({ width: WIDTH, planes: [plane], says: plain("record_prompts_label", { count: points.length, of }) }),
    el("ul.sv-note", null, lines),
  ];
}

/** @param {Steps[]} rounds of several requests: one is shown at a time @returns {Child} */
export function steps(rounds) {
  if (!rounds.length) return null;
  const box = el("div");
  const showRequest = (/** @type {number} */ i) => box.replaceChildren(...stepsOf(rounds[i]));
  showRequest(0);
  return [el("h4", null, WORDS.record_rounds), rounds.length > 1 ? requestSelect(rounds, showRequest) : null, box];
}

/** @param {Steps[]} rounds @param {(i: number) => void} showRequest */
function requestSelect(rounds, showRequest) {
  const list = select(rounds.map(({ request }, i) => [i, String(request)]));
  list.addEventListener("change", () => showRequest(Number(list.value)));
  return el("label.sv-record-field", null, WORDS.record_rounds_of, " ", list);
}

/** @param {Steps} steps */
function stepsOf({ steps, accepted, drafted }) {
  const top = Math.max(1, ...accepted, ...(drafted ?? []));
  const columns = accepted.map((count, i) => {
    const total = drafted ? drafted[i] : count;
    const values = { step: i + 1, accepted: count, drafted: total };
    const fill = el("span.sv-record-kept");
    fill.style.height = `${total ? (100 * count) / total : 0}%`;
    const column = el("span.sv-record-drafted", null, fill);
    column.style.height = `${(100 * total) / top}%`;
    return el("span.sv-record-step", { title: plain(drafted ? "record_step" : "record_step_kept", values) }, column);
  });
  const cut = steps > accepted.length ? phrase("record_rounds_first", { count: accepted.length, steps }) : [];
  const pairs = accepted.map((count, i) => (drafted ? `${count}/${drafted[i]}` : String(count))).join(" ");
  return [
    el("div.sv-record-bars.sv-flow", { "aria-hidden": "true" }, columns),
    el("p.sv-note", null, phrase(drafted ? "record_rounds_is" : "record_rounds_is_kept"), " ", cut),
    el("details.sv-note", null, el("summary", null, WORDS.record_rounds_numbers), el("p", null, pairs)),
  ];
}

/** How many requests lie where. @param {Spread} spread @param {(value: number) => string} format */
function histogram({ bins, from, width }, format) {
  const top = Math.max(...bins);
  const rows = bins.map((count, i) => {
    const ends = [i, i + 1].map((n) => format(from + n * width));
    return row(ends.join("–"), bar("rule", count, top), [String(count)]);
  });
  return el("div.sv-bars", null, rows);
}
