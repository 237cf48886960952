// Requests one by one: percentiles, the worst of them, acceptance against the length of the prompt.

import { between, exact } from "../chart/axis.js";
import { chart } from "../chart/chart.js";
import { dots } from "../chart/marks.js";
import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { WIDTH } from "./time.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Prompts, Spread } from "./types.js" */

const HEIGHT = 180;

/** @param {Spread["what"]} what @returns {(value: number) => string} */
export const written = (what) => (value) => (what === "tokens_per_step" ? number(value, 2) : percent(value));

/** @param {Spread | null} spread @returns {Child} */
export function oneByOne(spread) {
  if (!spread) return null;
  const { what, percentiles, worst, prompts } = spread;
  const write = written(what);
  const shares = Object.fromEntries(Object.entries(percentiles).map(([share, value]) => [`p${share}`, write(value)]));
  return [
    el("p.sv-note", null, say("record_percentiles_is", shares)),
    el("h4", null, WORDS.record_worst),
    worstOf(what, worst, write),
    prompts ? byPrompt(what, prompts, write) : null,
  ];
}

/** @param {Spread["what"]} what @param {Spread["worst"]} worst @param {(value: number) => string} write */
function worstOf(what, worst, write) {
  const prompt = worst.some((one) => one.prompt !== null);
  const keys = ["request", `value_${what}`, "counts", ...(prompt ? ["prompt"] : [])];
  const heads = keys.map((key) => wordOf(`record_worst_${key}`));
  const rows = worst.map((one) => {
    const counts = plain("position_counts", { reached: one.accepted, drafted: one.drafted });
    return line(String(one.request), [write(one.value), counts, ...(prompt ? [number(one.prompt, 0)] : [])]);
  });
  return table(".sv-table", heads, rows);
}

/** @param {Spread["what"]} what @param {Prompts} prompts @param {(value: number) => string} write @returns {Child} */
function byPrompt(what, { points, of, thirds }, write) {
  const longest = points[points.length - 1][0] || 1;
  const values = points.map(([, value]) => value);
  const [low, high] = what === "tokens_per_step" ? [1, Math.max(2, Math.ceil(Math.max(...values)))] : [0, 1];
  const name = WORDS[`record_worst_value_${what}`];
  const x = { ...exact(0, longest, 4, WORDS.record_worst_prompt), lines: false };
  const y = between(low, high, [low, high], name, write);
  const marks = [
    dots(
      points.map(([length, value]) => ({ x: length, y: value, title: write(value) })),
      { series: "rule", r: 3, name },
    ),
  ];
  const lines = thirds.map(({ from, to, requests, accepted_of_drafted }) =>
    el("li", null, say("record_prompts_third", { from, to, requests, share: percent(accepted_of_drafted) })),
  );
  const plane = { frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT }, x, y, marks };
  return [
    el("h4", null, WORDS.record_prompts),
    chart({ width: WIDTH, planes: [plane], says: plain("record_prompts_label", { shown: points.length, of }) }),
    el("ul.sv-note", null, lines),
  ];
}
