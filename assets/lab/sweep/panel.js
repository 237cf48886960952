// The panel Sweep: what to sweep, the map that fills, the formula against the clock, α against c.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { foldFields, makeForm } from "../form.js";
import { addPanel, columnWidth } from "../panels.js";
import { makeResults } from "../results.js";
import { showTree, treeFields, watchSettings } from "../setting.js";
import { drawMap, drawPareto, drawScatter } from "./map.js";
import { cellSentence, summarySentence } from "./sentences.js";

/** @import { Field } from "../form.js" */
/** @import { PanelView, PanelContext, Settings } from "../types.js" */
/** @import { Cell, SweepResult } from "./types.js" */

/** @param {PanelContext} context @returns {PanelView} */
function sweep(context) {
  const { words } = context;
  const start = watchSettings();
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

addPanel("sweep", sweep);
