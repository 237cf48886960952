// The map of a sweep: a row for each drafter, a column for each K, the speedup as shade and number. A cell is a button.

import { bands } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { text } from "../../chart/text.js";
import { shade } from "../../shared/formula.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { shape } from "../../shared/shape.js";
import { drafterWord, wordsByPrefix } from "../setting.js";
import { fastest, sentence } from "./said.js";

/** @import { Words } from "../types.js" */
/** @import { Mark, Plot } from "../../chart/types.js" */
/** @import { Cell, Found } from "./types.js" */
/** @typedef {{ read(cell: Cell): void, take(cell: Cell): void }} Act */

const HIGH = 46;
const HEAD = 26; // px over the rows, and as many for a temperature
const LABEL = 132;
const NARROW = 84;

/** @param {Found} found @param {Words} words @param {number} width @param {Act} act @returns {SVGSVGElement} */
export function drawMap({ cells }, words, width, act) {
  const order = (/** @type {number[]} */ list) => [...new Set(list)].sort((a, b) => a - b);
  const Ks = order(cells.map(({ where }) => where.K));
  const temperatures = order(cells.map(({ where }) => where.temperature));
  const drafters = Object.keys(wordsByPrefix(words, "drafter_")).filter((name) =>
    cells.some(({ where }) => where.drafter === name),
  );
  const left = width < 600 ? NARROW : LABEL;
  const several = temperatures.length > 1;
  const top = several ? 2 * HEAD : HEAD;
  const height = top + drafters.length * HIGH;
  const best = fastest(cells);
  const x = bands(
    Ks.map((K) => `K = ${K}`),
    { over: true },
  );
  const y = bands(drafters.map((drafter) => drafterWord(drafter, words)));
  /** @param {number} T @returns {Mark[]} */
  const marks = (T) =>
    drafters.flatMap((drafter, row) =>
      Ks.map((K, column) => ({
        draw(plot) {
          const box = boxOf(plot, column, row);
          const here = cells.find(({ where }) => where.drafter === drafter && where.K === K && where.temperature === T);
          return [
            here ? cellButton(here, box, words, act, here === best) : shape("rect", { ...box, class: "lab-hole" }),
          ];
        },
      })),
    );
  const planes = temperatures.map((T, t) => ({
    frame: { x: left, y: t * height, width: width - left, height },
    margin: { left: 0, right: 0, top, bottom: 0 },
    title: several ? fillText(words.at, { T }) : undefined,
    ...{ x, y, marks: marks(T) },
  }));
  const svg = chart({ width, planes, says: `${words.map}.`, role: "group" });
  svg.prepend(hatch());
  return svg;
}

/** @param {Plot} plot @param {number} column @param {number} row */
function boxOf({ x, y }, column, row) {
  const [left, top] = [x(column - 0.5), y(row - 0.5)];
  return { x: left + 1, y: top + 1, width: x(column + 0.5) - left - 2, height: HIGH - 2, rx: 4 };
}

/**
 * @param {Cell} cell @param {ReturnType<typeof boxOf>} box @param {Words} words @param {Act} act @param {boolean} best
 */
function cellButton(cell, box, words, act, best) {
  const { speedup, tokens_a_round } = cell;
  const label = sentence(cell, words) + words.to_watch;
  const node = shape("g", { role: "button", tabindex: 0, "aria-label": label, class: "lab-cell" });
  node.append(shape("title", {}, label));
  const ground = shape("rect", { ...box, class: "lab-shade" });
  node.append(speedup ? shade(ground, speedup.median) : ground);
  if (ground.dataset.level === "slower")
    node.append(shape("rect", { ...box, fill: "url(#lab-hatch)", class: "lab-over" }));
  if (best) node.append(shape("rect", { ...box, class: "lab-best" }));
  const value = speedup ? number(speedup.median, 2) : words.cell_unknown;
  const middle = box.x + box.width / 2;
  node.append(text(middle, box.y + 20, value, "middle", { kind: speedup ? "value" : "unknown" }));
  node.append(text(middle, box.y + 36, `${number(tokens_a_round, 1)} t`, "middle", { kind: "tick" }));
  for (const event of ["mouseenter", "focus"]) node.addEventListener(event, () => act.read(cell));
  node.addEventListener("click", () => act.take(cell));
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    act.take(cell);
  });
  return node;
}

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
