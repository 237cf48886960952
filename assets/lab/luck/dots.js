// Every run a dot: a picture each for α, tokens a round and the speedup; a row each for a setting, and for one seed
// again and again. A disturbed run has no dot among the speedups.

import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { across, marks, scale } from "../axis.js";
import { drawn } from "../plot.js";
import { drafterWord, shapeWord } from "../setting.js";

/** @import { Dot, Found, Measure, Spread } from "./types.js" */
/** @typedef {{ word: string, dots: Dot[], spread: Spread | null, look: string }} Row */

/** @type {Measure[]} */
export const MEASURES = ["speedup", "tokens_a_round", "alpha"];
const ROW = 58;
const TITLE = 26;
const FOOT = 34;
const GAP = 28;
const LABEL = 128;
const WIDE = 720;

/** @param {Found} found @param {Record<string, string>} words @param {number} width @returns {SVGSVGElement} */
export function drawDots(found, words, width) {
  const columns = width >= WIDE ? 3 : 1;
  const most = Math.max(...MEASURES.map((measure) => rowsOf(found, measure, words).length));
  const label = columns > 1 ? LABEL : 0;
  const each = (width - label - GAP * (columns - 1)) / columns;
  const high = TITLE + most * ROW + FOOT;
  const height = columns > 1 ? high : MEASURES.length * high;
  const svg = drawn(width, height, found.sentence, "lab-drawn");
  MEASURES.forEach((measure, i) => {
    const left = columns > 1 ? label + i * (each + GAP) : 0;
    const top = columns > 1 ? 0 : i * high;
    const named = columns === 1 || i === 0;
    svg.append(
      facet(rowsOf(found, measure, words), measure, words, { left, top, width: each, named, beside: columns > 1 }),
    );
  });
  return svg;
}

/** @param {Found} found @param {Measure} measure @param {Record<string, string>} words @returns {Row[]} */
function rowsOf({ settings, dots, spreads, same }, measure, words) {
  const known = measure === "speedup" ? dots.filter(({ disturbed }) => !disturbed) : dots;
  /** @type {Row[]} */
  const rows = settings.map((setting, i) => ({
    word: filled(words.row_setting, {
      K: setting.K,
      drafter: drafterWord(setting.drafter, words),
      shape: shapeWord(setting, words),
    }),
    dots: known.filter((dot) => dot.setting === i && !dot.again),
    spread: spreads[i][measure],
    look: i ? "second" : "first",
  }));
  const again = known.filter((dot) => dot.again || dot === dots[0]);
  const word = filled(words.row_again, { seed: dots[0]?.seed ?? 0 });
  return [...rows, { word, dots: again, spread: measure === "speedup" ? same : null, look: "again" }];
}

/**
 * @param {Row[]} rows @param {Measure} measure @param {Record<string, string>} words
 * @param {{ left: number, top: number, width: number, named: boolean, beside: boolean }} box
 */
function facet(rows, measure, words, { left, top, width, named, beside }) {
  const values = rows.flatMap(({ dots }) => dots.map((dot) => dot[measure])).filter((value) => value !== null);
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const at = marks(Math.min(low, measure === "speedup" ? 1 : low), Math.max(high, low + 0.01), 4);
  const x = scale(at, left + 8, left + width - 8);
  const bottom = top + TITLE + rows.length * ROW;
  const group = shape("g", {});
  group.append(
    shape("text", { class: "lab-title", x: left + width / 2, y: top + 16, "text-anchor": "middle" }, words[measure]),
  );
  group.append(...across(at, x, top + TITLE, bottom).flat());
  if (measure === "speedup")
    group.append(shape("line", { class: "lab-one", x1: x(1), x2: x(1), y1: top + TITLE, y2: bottom }));
  rows.forEach((row, i) => {
    const y = top + TITLE + i * ROW;
    group.append(band(row, x, y));
    row.dots.forEach((dot, n) => {
      group.append(...mark(row, dot, measure, n, x, y, words));
    });
    if (named) {
      const at = beside ? [left - 10, y + ROW / 2 + 4] : [left + 8, y + 13];
      const place = { x: at[0], y: at[1], "text-anchor": beside ? "end" : "start" };
      group.append(shape("text", { class: "lab-name", ...place }, row.word));
    }
  });
  return group;
}

/** The median and its interval. @param {Row} row @param {(v: number) => number} x @param {number} y */
function band({ spread, look }, x, y) {
  const group = shape("g", { "data-look": look });
  if (!spread) return group;
  const wide = Math.max(2, x(spread.high) - x(spread.low));
  group.append(shape("rect", { class: "lab-band", x: x(spread.low), y: y + 16, width: wide, height: ROW - 22 }));
  group.append(
    shape("line", { class: "lab-median", x1: x(spread.median), x2: x(spread.median), y1: y + 14, y2: y + ROW - 4 }),
  );
  return group;
}

/**
 * A dot; dots that would cover each other stand at different heights, the same ones each time.
 * @param {Row} row @param {Dot} dot @param {Measure} measure @param {number} n
 * @param {(v: number) => number} x @param {number} y @param {Record<string, string>} words
 */
function mark({ look }, dot, measure, n, x, y, words) {
  const value = dot[measure];
  if (value === null) return [];
  const cy = y + 20 + ((n * 0.618) % 1) * (ROW - 30);
  const node = shape("circle", { class: "lab-dot", cx: x(value), cy, r: 3.6, "data-look": look });
  node.append(shape("title", {}, filled(words.dot, { seed: dot.seed, value: number(value, 2) })));
  return [node];
}
