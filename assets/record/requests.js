// Requests one by one: percentiles, the worst of them, acceptance against the length of the prompt.

import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { line, table } from "../shared/table.js";
import { WORDS } from "../shared/words.js";
import { WIDTH } from "./time.js";

/** @import { Child } from "../shared/types.js" */
/** @import { Prompts, Spread } from "./types.js" */

const [HEIGHT, LEFT, BOTTOM, TOP] = [150, 58, 22, 8];

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
  const heads = keys.map((key) => WORDS[`record_worst_${key}`]);
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
  const x = (/** @type {number} */ length) => LEFT + ((WIDTH - LEFT - 6) * length) / longest;
  const y = (/** @type {number} */ value) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - (value - low) / (high - low));
  const text = (/** @type {number} */ left, /** @type {number} */ top, /** @type {string} */ said, anchor = "end") =>
    shape("text", { x: left, y: top, "text-anchor": anchor, class: "sv-past-text" }, said);
  const label = plain("record_prompts_label", { what: WORDS[`record_worst_value_${what}`], of });
  const svg = shape(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": label, class: "sv-past" },
    [low, high].flatMap((value) => [
      shape("line", { x1: LEFT, x2: WIDTH - 6, y1: y(value), y2: y(value), class: "sv-past-grid" }),
      text(LEFT - 6, y(value) + 4, write(value)),
    ]),
    text(x(0), HEIGHT - 6, "0", "start"),
    text(x(longest), HEIGHT - 6, number(longest, 0)),
    points.map(([length, value]) => shape("circle", { cx: x(length), cy: y(value), r: 3, class: "sv-past-dot" })),
  );
  const lines = thirds.map(({ from, to, requests, accepted_of_drafted }) =>
    el("li", null, say("record_prompts_third", { from, to, requests, share: percent(accepted_of_drafted) })),
  );
  return [el("h4", null, WORDS.record_prompts), svg, el("ul.sv-note", null, lines)];
}
