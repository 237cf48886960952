// The map of a sweep: a row for each drafter, a column for each K, the speedup as shade and number. A cell is a button.

import { shade } from "../../shared/formula.js";
import { number } from "../../shared/numbers.js";
import { filled } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { drawn } from "../plot.js";
import { drafterWord, named } from "../setting.js";
import { fastest, sentence } from "./said.js";

/** @import { Cell, Found } from "./types.js" */
/** @typedef {{ read(cell: Cell): void, take(cell: Cell): void }} Act */

const HIGH = 46;
const HEAD = 24;
const LABEL = 132;
const NARROW = 84;
const LETTER = 7.2; // px of a letter, about

/**
 * @param {Found} found
 * @param {Record<string, string>} words
 * @param {number} width
 * @param {Act} act
 * @returns {SVGSVGElement}
 */
export function drawMap({ cells }, words, width, act) {
  const order = (/** @type {number[]} */ list) => [...new Set(list)].sort((a, b) => a - b);
  const Ks = order(cells.map(({ where }) => where.K));
  const temperatures = order(cells.map(({ where }) => where.temperature));
  const drafters = Object.keys(named(words, "drafter_")).filter((name) =>
    cells.some(({ where }) => where.drafter === name),
  );
  const left = width < 600 ? NARROW : LABEL;
  const wide = (width - left) / Ks.length;
  const block = HEAD + drafters.length * HIGH;
  const several = temperatures.length > 1;
  const height = temperatures.length * (block + (several ? HEAD : 0));
  const svg = drawn(width, height, words.map, "lab-drawn lab-map", "group");
  svg.append(hatch());
  const best = fastest(cells);
  temperatures.forEach((T, t) => {
    const top = t * (block + HEAD);
    if (several) svg.append(text("lab-title", left, top + 16, filled(words.at, { T }), "start"));
    const head = top + (several ? HEAD : 0);
    Ks.forEach((K, k) => {
      svg.append(text("lab-mark", left + (k + 0.5) * wide, head + 16, `K = ${K}`));
    });
    drafters.forEach((drafter, d) => {
      const y = head + HEAD + d * HIGH;
      svg.append(...name(left - 8, y + HIGH / 2 + 5, drafterWord(drafter, words)));
      Ks.forEach((K, k) => {
        const at = { x: left + k * wide, y, wide };
        const here = cells.find(({ where }) => where.drafter === drafter && where.K === K && where.temperature === T);
        svg.append(here ? button(here, at, words, act, here === best) : hole(at));
      });
    });
  });
  return svg;
}

/**
 * @param {Cell} cell
 * @param {{ x: number, y: number, wide: number }} at
 * @param {Record<string, string>} words
 * @param {Act} act
 * @param {boolean} best
 */
function button(cell, { x, y, wide }, words, act, best) {
  const { speedup, tokens_a_round } = cell;
  const told = sentence(cell, words) + words.to_watch;
  const node = shape("g", { role: "button", tabindex: 0, "aria-label": told, class: "lab-cell" });
  node.append(shape("title", {}, told));
  const box = { x: x + 1, y: y + 1, width: wide - 2, height: HIGH - 2, rx: 4 };
  const ground = shape("rect", { ...box, class: "lab-shade" });
  node.append(speedup ? shade(ground, speedup.median) : ground);
  if (ground.dataset.level === "slower")
    node.append(shape("rect", { ...box, fill: "url(#lab-hatch)", class: "lab-over" }));
  if (best) node.append(shape("rect", { ...box, class: "lab-best" }));
  const value = speedup ? number(speedup.median, 2) : words.cell_unknown;
  node.append(text(speedup ? "lab-value" : "lab-value lab-busy", x + wide / 2, y + 21, value));
  node.append(text("lab-small", x + wide / 2, y + 37, `${number(tokens_a_round, 1)} t`));
  for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => act.read(cell));
  node.addEventListener("click", () => act.take(cell));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act.take(cell);
  });
  return node;
}

/** A place that was not run yet. @param {{ x: number, y: number, wide: number }} at */
function hole({ x, y, wide }) {
  return shape("rect", { x: x + 1, y: y + 1, width: wide - 2, height: HIGH - 2, rx: 4, class: "lab-hole" });
}

/** A row's name, in two lines where one is too long. @param {number} right @param {number} y @param {string} words */
function name(right, y, words) {
  const at = words.lastIndexOf(" ");
  if (words.length * LETTER <= right || at < 0) return [text("lab-name", right, y, words, "end")];
  const lines = [words.slice(0, at), words.slice(at + 1)];
  return lines.map((line, i) => text("lab-name", right, y - 8 + 16 * i, line, "end"));
}

/** @param {string} look @param {number} x @param {number} y @param {string} words @param {string} [anchor] */
const text = (look, x, y, words, anchor = "middle") =>
  shape("text", { class: look, x, y, "text-anchor": anchor }, words);

/** Lines over what is slower than vanilla, so that no colour has to be told apart. */
function hatch() {
  const lines = {
    id: "lab-hatch",
    width: 7,
    height: 7,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  };
  return shape(
    "defs",
    {},
    shape("pattern", lines, shape("line", { x1: 0, x2: 0, y1: 0, y2: 7, class: "lab-hatching" })),
  );
}
