// α of people beside α of the drafters, on the same text: bars, and the counts under them.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fill } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { line, table } from "../../shared/table.js";
import { drawn } from "../plot.js";
import { examined, standings } from "./state.js";

/** @import { Standing, State } from "./types.js" */

const LINE = 26;
const BAR = 16;
const NAME = 132;
const VALUE = 54;

/** @param {State} state @param {Record<string, any>} words @param {number} width */
export function bars({ turns }, words, width) {
  const all = standings(turns);
  const height = all.length * LINE;
  const svg = drawn(width, height, words.tally, "ppl-bars-of-all");
  const long = width - NAME - VALUE;
  for (const [i, one] of all.entries()) svg.append(...barOf(one, i * LINE, long));
  return svg;
}

/** @param {Standing} one @param {number} top @param {number} long */
function barOf({ name, people, alpha }, top, long) {
  const middle = top + LINE / 2 + 5;
  const full = shape("rect", { x: NAME, y: top + (LINE - BAR) / 2, width: long, height: BAR, class: "ppl-of" });
  const bar = shape("rect", {
    x: NAME,
    y: top + (LINE - BAR) / 2,
    width: long * (alpha ?? 0),
    height: BAR,
    class: people ? "ppl-people" : "ppl-drafter",
  });
  return [
    text(people ? `▸ ${name}` : name, NAME - 8, middle, "end", people ? 600 : 400),
    full,
    bar,
    text(number(alpha, 2), NAME + long + 6, middle, "start", people ? 600 : 400),
  ];
}

/** @param {string} said @param {number} x @param {number} y @param {"start" | "end"} anchor @param {number} weight */
function text(said, x, y, anchor, weight) {
  const node = shape("text", { x, y, "text-anchor": anchor, "font-size": 14, "font-weight": weight });
  node.textContent = said;
  return node;
}

/** @param {State} state @param {Record<string, any>} words */
export function counts({ turns }, words) {
  if (!turns.length) return [];
  const all = standings(turns);
  const heads = ["who", "drafted", "tested", "accepted", "alpha"].map((name) => words[`${name}_column`]);
  const rows = all.map(({ name, drafted, tested, accepted, alpha }) =>
    line(name, [...[drafted, tested, accepted].map(String), number(alpha, 2)]),
  );
  return [
    table(".sv-table.lab-table.ppl-counts", heads, rows),
    el("p.lab-note", null, fill(words.tally_note, { n: examined(all) })),
  ];
}
