// The panel Sweep: what to sweep; the map that fills (a row for each drafter, a column for each K, the speedup as shade and
// number; a cell is a button); what the formula says against the clock; α against c; and all of it in sentences.

import { bands, chart, curve, dots, linear } from "../chart/chart.js";
import { names } from "../chart/labels.js";
import { el, setText, shape, text } from "../player/dom.js";
import { explain } from "../player/page.js";
import { fillText, number, rounded } from "../player/words.js";
import { shadeNode } from "../shared/formulas.js";
import { sum } from "../trace/events.js";
import {
  columnWidth,
  drafterWord,
  foldFields,
  makeForm,
  makeResults,
  showTree,
  treeFields,
  watchSettings,
  wordsByPrefix,
} from "./frame.js";

/** @import { Axis, Mark, Plot } from "../chart/types.js" */
/** @import { Field } from "./frame.js" */
/** @import { Cell, PanelContext, PanelView, Settings, SweepResult, Words } from "./types.js" */

/** Which settings, and how much faster they were. @param {Cell} cell @param {Words} words */
const speedupValues = ({ where, speedup }, words) => ({
  ...{ drafter: drafterWord(where.drafter, words), K: where.K, T: where.temperature },
  ...rounded({ speedup: speedup?.median, first: speedup?.first, third: speedup?.third }),
});

/** All that is known of a cell. @param {Cell} cell @param {Words} words */
function cellSentence(cell, words) {
  const { tokens_a_round: tokens, alpha, c, v, predicted } = cell;
  const numbers = rounded({ tokens, alpha, c, v, predicted });
  const values = { ...speedupValues(cell, words), runs: cell.speedup?.runs ?? 0, ...numbers };
  return (
    fillText(cell.speedup ? words.cell : words.cell_counted, values) +
    (cell.disturbed ? fillText(words.cell_busy, { n: cell.disturbed, of: cell.runs }) : "")
  );
}

/** The fastest cell; null while the times of one are not known, since it might be the fastest. @param {Cell[]} cells */
function fastestCell(cells) {
  if (cells.some(({ speedup }) => !speedup)) return null;
  return cells.reduce((one, other) => ((other.speedup?.median ?? 0) > (one.speedup?.median ?? 0) ? other : one));
}

/** Which cell is the fastest, of how many, and whether the machine was busy. @param {SweepResult} result @param {Words} words */
export function summarySentence({ cells, done, of }, words) {
  const best = fastestCell(cells);
  const countSentence = (/** @type {string} */ word, /** @type {number} */ n) =>
    n ? fillText(words[/** @type {keyof Words} */ (word)], { n, of: done }) : "";
  const busySentence = [
    countSentence("busy", sum(cells.map(({ disturbed }) => disturbed))),
    countSentence("by_processor", sum(cells.map(({ by_processor }) => by_processor ?? 0))),
  ]
    .filter(Boolean)
    .join(" ");
  if (!best) return `${busySentence} ${words.no_winner}`;
  const values = { ...speedupValues(best, words), so_far: done < of ? words.so_far : "" };
  const { median = 0, runs = 0 } = best.speedup ?? {};
  const key = runs === 1 ? words.fastest_one : words.fastest;
  const text = fillText(median > 1 ? key : words.none_faster, values);
  const picked = cells.length > 1 ? fillText(words.picked, { n: cells.length }) : "";
  return [text, picked, busySentence].filter(Boolean).join(" ");
}

/** @typedef {{ describeCell(cell: Cell): void, openInWatch(cell: Cell): void }} Actions */

const CELL_PX = 46;
const HEAD_PX = 26; // px over the rows
const LABEL_PX = 132;
const NARROW_LABEL_PX = 84;
const MAX_HEIGHT_PX = 340;
const NAME_LINES = 6; // of text that a drafter's name may stand away from its point

/** @param {SweepResult} result @param {Words} words @param {number} width @param {Actions} actions */
function drawMap({ cells }, words, width, actions) {
  const Ks = [...new Set(cells.map(({ where }) => where.K))].sort((a, b) => a - b);
  const drafters = Object.keys(wordsByPrefix(words, "drafter_")).filter((name) =>
    cells.some(({ where }) => where.drafter === name),
  );
  const labelWidth = width < 600 ? NARROW_LABEL_PX : LABEL_PX;
  const height = HEAD_PX + drafters.length * CELL_PX;
  const best = fastestCell(cells);
  const x = bands(
    Ks.map((K) => `K = ${K}`),
    { over: true },
  );
  const y = bands(drafters.map((drafter) => drafterWord(drafter, words)));
  /** @type {Mark[]} */
  const marks = drafters.flatMap((drafter, row) =>
    Ks.map((K, column) => ({
      draw(plot) {
        const box = boxOf(plot, column, row);
        const cell = cells.find(({ where }) => where.drafter === drafter && where.K === K);
        return [cell ? cellButton(cell, box, words, actions, cell === best) : shape("rect", { ...box, class: "lab-hole" })];
      },
    })),
  );
  const plane = {
    frame: { x: labelWidth, y: 0, width: width - labelWidth, height },
    margin: { left: 0, right: 0, top: HEAD_PX, bottom: 0 },
    ...{ x, y, marks },
  };
  const svg = chart({ width, planes: [plane], says: `${words.map}.`, role: "group" });
  svg.prepend(hatchPattern());
  return svg;
}

/** @param {Plot} plot @param {number} column @param {number} row */
function boxOf({ x, y }, column, row) {
  const [left, top] = [x(column - 0.5), y(row - 0.5)];
  return { x: left + 1, y: top + 1, width: x(column + 0.5) - left - 2, height: CELL_PX - 2, rx: 4 };
}

/** @param {Cell} cell @param {ReturnType<typeof boxOf>} box @param {Words} words @param {Actions} actions
 * @param {boolean} isFastest */
function cellButton(cell, box, words, actions, isFastest) {
  const { speedup, tokens_a_round } = cell;
  const label = cellSentence(cell, words) + words.to_watch;
  const group = shape("g", { role: "button", tabindex: 0, "aria-label": label, class: "lab-cell" });
  group.append(shape("title", {}, label));
  const background = shape("rect", { ...box, class: "lab-shade" });
  group.append(speedup ? shadeNode(background, speedup.median) : background);
  if (background.dataset.level === "slower") group.append(shape("rect", { ...box, fill: "url(#lab-hatch)", class: "lab-over" }));
  if (isFastest) group.append(shape("rect", { ...box, class: "lab-best" }));
  const value = speedup ? number(speedup.median, 2) : words.cell_unknown;
  const middle = box.x + box.width / 2;
  group.append(text(middle, box.y + 20, value, "middle", { kind: speedup ? "value" : "unknown" }));
  group.append(text(middle, box.y + 36, `${number(tokens_a_round, 1)} t`, "middle", { kind: "tick" }));
  for (const event of ["mouseenter", "focus"]) group.addEventListener(event, () => actions.describeCell(cell));
  group.addEventListener("click", () => actions.openInWatch(cell));
  group.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    actions.openInWatch(cell);
  });
  return group;
}

/** Lines over what is slower than vanilla, so that no colour has to be told apart. */
function hatchPattern() {
  const lines = {
    id: "lab-hatch",
    width: 7,
    height: 7,
    patternUnits: "userSpaceOnUse",
    patternTransform: "rotate(45)",
  };
  return shape("defs", {}, shape("pattern", lines, shape("line", { x1: 0, x2: 0, y1: 0, y2: 7, class: "lab-hatching" })));
}

/** @param {SweepResult} found @param {Words} words @param {number} width @returns {SVGSVGElement} */
function drawScatter({ cells }, words, width) {
  const timedCells = cells.flatMap((cell) =>
    cell.speedup && cell.predicted !== null ? [{ cell, x: cell.predicted, y: cell.speedup.median }] : [],
  );
  const points = timedCells.map(({ cell, x, y }) => ({ x, y, title: cellSentence(cell, words) }));
  const [low, high] = [Math.min(1, ...points.flatMap(coordinates)), Math.max(1.2, ...points.flatMap(coordinates))];
  const [x, y] = [words.predicted, words.measured].map((name) => linear(low, high, 5, name));
  const [first, last] = [x.ticks[0].value, x.ticks[x.ticks.length - 1].value];
  const marks = [
    diagonal(first, last),
    dots(points, { series: "target", name: words.measured }),
    names(
      points,
      timedCells.map(({ cell }) => String(cell.where.K)),
    ),
  ];
  return squareChart(words.scatter, x, y, marks, width);
}

/** @param {SweepResult} found @param {Words} words @param {number} width @returns {SVGSVGElement} */
function drawPareto({ ways }, words, width) {
  const x = linear(0, Math.max(0.2, ...ways.map(({ c }) => c)), 5, words.c);
  const y = linear(0, 1, 5, words.alpha);
  const points = ways.map(({ drafter, c, alpha, K, speedup, best }) => {
    const values = { drafter: drafterWord(drafter, words), K: K ?? words.cell_unknown };
    return { x: c, y: alpha, title: fillText(words.way, { ...values, ...rounded({ c, alpha, speedup }) }), best };
  });
  const frontier = points.filter(({ best }) => best).sort((a, b) => a.x - b.x);
  const others = points.filter(({ best }) => !best);
  const marks = [
    diagonal(0, Math.min(1, x.ticks[x.ticks.length - 1].value)),
    curve(frontier, { series: "target" }),
    dots(frontier, { series: "target", r: 5, sentences: frontier.map(({ title }) => `${title}.`) }),
    dots(others, { series: "muted", r: 5, sentences: others.map(({ title }) => `${title}.`) }),
    names(
      points,
      ways.map(({ drafter }) => drafterWord(drafter, words)),
      NAME_LINES,
    ),
  ];
  return squareChart(words.pareto, x, y, marks, width);
}

/** @param {{ x: number, y: number }} point */
const coordinates = ({ x, y }) => [x, y];

/** Where both are the same. @param {number} from @param {number} to */
const diagonal = (from, to) =>
  curve(
    [from, to].map((value) => ({ x: value, y: value })),
    { kind: "same" },
  );

/** @param {string} title @param {Axis} x @param {Axis} y @param {Mark[]} marks @param {number} width */
function squareChart(title, x, y, marks, width) {
  const frame = { x: 0, y: 0, width, height: Math.min(MAX_HEIGHT_PX, Math.max(260, width * 0.75)) };
  return chart({ width, planes: [{ frame, title, x, y, marks }] });
}

/** @param {PanelContext} context @returns {PanelView} */
export function sweep(context) {
  const { words } = context;
  const start = watchSettings(context);
  const form = makeForm(fields(context, start), context.linkSettings, (values) => {
    showTree(form, values);
    context.updateLink(values);
  });
  showTree(form, form.values());
  const map = el("div");
  const charts = el("div.lab-pair");
  const summaryLine = el("p.lab-sentence");
  const cellLine = el("p.lab-read", { "aria-live": "polite" }, words.point);

  /** @type {ReturnType<typeof makeResults<SweepResult>>} */
  const results = makeResults(context, form, "recorded_sweep", draw, ({ cells }) => cells.map(csvRow));

  function draw(/** @type {SweepResult} */ result) {
    if (!result.cells.length) {
      for (const part of [map, charts, summaryLine]) part.replaceChildren();
      return;
    }
    const width = context.width();
    const chartWidth = columnWidth(width);
    const actions = {
      describeCell: (/** @type {Cell} */ cell) => setText(cellLine, cellSentence(cell, words)),
      openInWatch: (/** @type {Cell} */ cell) =>
        context.openInWatch({ ...(results.measured()?.ran ?? results.recordedSettings()), ...cellSettings(cell) }),
    };
    map.replaceChildren(drawMap(result, words, width, actions), el("p.lab-note", null, words.slower));
    charts.replaceChildren(
      drawScatter(result, words, chartWidth),
      drawPareto(result, words, chartWidth),
      el("p.lab-note", null, words.lines),
    );
    setText(summaryLine, summarySentence(result, words));
  }

  return {
    controls: foldFields(form.nodes, context.linkSettings),
    picture: el("div.lab-stack", null, results.note, summaryLine, map, cellLine, charts),
    numbers: el("p.lab-note", null, explain(words.note)),
    ...results.view,
    chart: () => map.querySelector("svg"),
  };
}

/** @param {PanelContext} context @param {Settings} start @returns {Field[]} */
function fields(context, start) {
  const { words } = context;
  return [
    { name: "prompt", word: words.prompt, value: start.prompt, wide: true },
    {
      name: "drafters",
      word: words.drafters,
      value: words.first,
      options: context.options("drafter_"),
      several: true,
    },
    { name: "Ks", word: words.Ks, value: words.first_Ks },
    { name: "temperature", word: words.temperature, value: words.first_temperature },
    ...treeFields(context, start),
    { name: "turns", word: words.turns, value: "3" },
    { name: "length", word: words.length, value: "48" },
    { name: "seed", word: words.seed, value: start.seed },
  ];
}

/** @param {Cell} cell */
const cellSettings = ({ where }) => ({
  drafter: where.drafter,
  K: String(where.K),
  temperature: String(where.temperature),
});

/** @param {Cell} cell @returns {(string | number | null)[]} */
function csvRow({ where, runs, speedup, tokens_a_round, drafted_a_round, alpha, c, v, predicted, disturbed }) {
  const times = speedup ? [speedup.median, speedup.first, speedup.third] : [null, null, null];
  const setting = [where.drafter, where.K, where.temperature];
  return [...setting, runs, ...times, tokens_a_round, drafted_a_round, alpha, c, v, predicted, disturbed];
}
