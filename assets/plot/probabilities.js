// p and q at one position, over all tokens that the run has kept of it.

import { shortenName } from "../chart/text.js";
import { button } from "../shared/controls.js";
import { currentRun } from "../shared/current_run.js";
import { probability } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { chipText } from "../shared/tokens.js";
import { WORDS, wordOf } from "../shared/words.js";
import { axisOf, openPlot, TOP } from "./open.js";
import { asLabel } from "./plotly.js";

/** @import { Entry } from "../shared/types.js" */
/** @import { Distribution, Draw, Look, Series } from "./types.js" */

const [ROW, BOTTOM] = [30, 52]; // px: a token, and what stands under the plot
const LETTER = 8; // px
const [NAME, HOVER_NAME] = [18, 60]; // letters of a token beside its bars, and under the pointer

/** On a page that has Plotly to give. @param {Distribution} distribution */
export function plotButton(distribution) {
  if (!currentRun.plotly) return null;
  const word = WORDS[distribution.series.length > 1 ? "plot_open" : "plot_open_p"];
  return button(word, () => plotProbabilities(distribution), { class: "sv-plot-button" });
}

/** @param {Distribution} distribution */
function plotProbabilities(distribution) {
  const { series, rows, rest } = distribution;
  const alone = series.length === 1;
  const values = { n: rows.length, p: probability(rest.p), q: probability(rest.q) };
  return openPlot({
    title: wordOf(alone ? "bars_title_p" : "bars_title"),
    note: plain(alone ? "plot_kept_p" : "plot_kept", values),
    label: plain("plot_label", { n: rows.length, names: series.map(wordOf).join(", ") }),
    file: "specviz-p-and-q",
    hasLog: true,
    draw: drawing(distribution),
  });
}

/** @param {Distribution} distribution @returns {Draw} */
function drawing({ rows, series, columns, chosen }) {
  const name = (/** @type {Entry} */ { token }) => asLabel(shortenName(chipText(token), NAME));
  const hover = (/** @type {Entry} */ row) => [
    asLabel(shortenName(chipText(row.token), HOVER_NAME)),
    ...columns.map((key) => `${key} = ${row[key] || 0}`),
  ];
  const longest = Math.max(...rows.map((row) => shortenName(chipText(row.token), NAME).length));
  const least = Math.min(...rows.flatMap((row) => series.map((key) => row[key] || 1)));
  return (look, log) => ({
    data: series.map((key) => ({
      type: "bar",
      orientation: "h",
      name: wordOf(key),
      x: rows.map((row) => (log ? row[key] || null : row[key] || 0)),
      y: rows.map((_, i) => i),
      marker: { color: colourOf(key, look) },
      hovertext: rows.map((row) => hover(row).join("<br>")),
      hoverinfo: "text",
    })),
    layout: {
      shapes: [
        bandOf(
          rows.findIndex(({ token }) => token.id === chosen),
          look,
        ),
      ],
      height: TOP + BOTTOM + ROW * rows.length,
      margin: { l: 12 + LETTER * longest, r: 16, t: TOP, b: BOTTOM },
      showlegend: series.length > 1,
      xaxis: { ...axisOf(look, WORDS.plot_probability), ...scaleOf(log, least) },
      yaxis: {
        ...axisOf(look),
        color: look.ink,
        range: [rows.length - 0.5, -0.5],
        tickvals: rows.map((_, i) => i),
        ticktext: rows.map(name),
        showgrid: false,
        zeroline: false,
      },
    },
  });
}

/**
 * A logarithmic axis begins at the power of ten below the smallest value.
 * @param {boolean} log @param {number} least
 */
const scaleOf = (log, least) =>
  log
    ? { type: "log", range: [Math.ceil(Math.log10(least)) - 1, 0], dtick: 1, exponentformat: "e" }
    : { type: "linear", rangemode: "tozero" };

/** The ground under the chosen token. @param {number} row @param {Look} look */
const bandOf = (row, { rule }) => ({
  type: "rect",
  layer: "below",
  xref: "paper",
  ...{ x0: 0, x1: 1, y0: row - 0.5, y1: row + 0.5 },
  fillcolor: rule,
  line: { width: 0 },
});

/** @param {Series} key @param {Look} look */
const colourOf = (key, { target, draft }) => (key === "p" ? target : draft);
