// The panel Sweep: what to sweep, the map that fills, the formula against the clock, α against c.

import { el, setText } from "../../shared/dom.js";
import { explain } from "../../shared/glossary.js";
import { foldFields, makeForm } from "../form.js";
import { addPanel } from "../panels.js";
import { makeResults } from "../results.js";
import { shownSetting, showTree, treeFields, wordsByPrefix } from "../setting.js";
import { drawMap } from "./map.js";
import { drawPareto, drawScatter } from "./points.js";
import { sentence, summary } from "./said.js";

/** @import { Field } from "../form.js" */
/** @import { Drawn, PanelContext, Settings, Words } from "../types.js" */
/** @import { Cell, Found } from "./types.js" */

const BESIDE = 760; // wide enough for two charts beside each other

/** @param {PanelContext} bench @returns {Drawn} */
function sweep(bench) {
  const { words } = bench;
  const start = shownSetting(bench.picture());
  const form = makeForm(fields(words, start), bench.asked, (values) => {
    showTree(form, values);
    bench.keep(values);
  });
  showTree(form, form.values());
  const map = el("div");
  const others = el("div.lab-pair");
  const said = el("p.lab-sentence");
  const read = el("p.lab-read", { "aria-live": "polite" }, words.point);

  /** @type {ReturnType<typeof makeResults<Found>>} */
  const results = makeResults(bench, form, "recorded_sweep", paint);

  function paint(/** @type {Found | null} */ now) {
    if (!now?.cells.length) {
      for (const part of [map, others, said]) part.replaceChildren();
      return;
    }
    const width = bench.width();
    const each = width >= BESIDE ? (width - 32) / 2 : width;
    const act = {
      read: (/** @type {Cell} */ cell) => setText(read, sentence(cell, words)),
      take: (/** @type {Cell} */ cell) =>
        bench.take({ ...(results.measured()?.ran ?? results.ran()), ...settings(cell) }),
    };
    map.replaceChildren(drawMap(now, words, width, act), el("p.lab-note", null, words.slower));
    others.replaceChildren(
      drawScatter(now, words, each),
      drawPareto(now, words, each),
      el("p.lab-note", null, words.lines),
    );
    setText(said, summary(now, words));
  }

  return {
    controls: foldFields(form.nodes, bench.asked),
    picture: el("div.lab-stack", null, results.note, said, map, read, others),
    numbers: el("p.lab-note", null, explain(words.note)),
    ...results.panel,
    table() {
      const now = results.shown();
      return now && [words.csv.split("|"), ...now.cells.map(row)];
    },
    chart: () => map.querySelector("svg"),
  };
}

/** @param {Words} words @param {Settings} start @returns {Field[]} */
const fields = (words, start) => [
  { name: "prompt", word: words.prompt, value: start.prompt, wide: true },
  {
    name: "drafters",
    word: words.drafters,
    value: words.first,
    options: wordsByPrefix(words, "drafter_"),
    several: true,
  },
  { name: "Ks", word: words.Ks, value: words.first_Ks },
  { name: "temperatures", word: words.temperatures, value: words.first_temperatures },
  ...treeFields(words, start),
  { name: "turns", word: words.turns, value: "3" },
  { name: "length", word: words.length, value: "48" },
  { name: "seed", word: words.seed, value: start.seed },
];

/** @param {Cell} cell */
const settings = ({ where }) => ({
  drafter: where.drafter,
  K: String(where.K),
  temperature: String(where.temperature),
});

/** @param {Cell} cell @returns {(string | number | null)[]} */
function row({ where, speedup, ...cell }) {
  const times = speedup ? [speedup.median, speedup.first, speedup.third] : [null, null, null];
  const of = [where.drafter, where.K, where.temperature, cell.runs, ...times];
  const { tokens_a_round, drafted_a_round, alpha, c, v, predicted, disturbed } = cell;
  return [...of, tokens_a_round, drafted_a_round, alpha, c, v, predicted, disturbed];
}

addPanel("sweep", sweep);
