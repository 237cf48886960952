// Plots that Plotly draws: p and q of the tokens at a position, acceptance by position. Its script is fetched with the first.

import { button, chipText, el, query, setText, shortenName } from "../player/dom.js";
import { currentRun, loadBundle, openDialog } from "../player/page.js";
import { percent, plain, probability, WORDS, wordOf } from "../player/words.js";

/** @import { Distribution, Draw, Look, Plot, PlotlyScript, Series } from "./types.js" */
/** @import { AtPosition, Entry } from "../shared/types.js" */

/** @type {Promise<PlotlyScript> | null} */
let request = null;

/** Where it does not come, the next plot asks again. @returns {Promise<PlotlyScript>} */
function loadPlotly() {
  request ??= fetchPlotly().catch((error) => {
    request = null;
    throw error;
  });
  return request;
}

async function fetchPlotly() {
  const answer = await fetch(currentRun.plotly);
  const plotly = answer.ok && loadBundle("Plotly", { script: await answer.text() });
  if (!plotly) throw new Error(`${currentRun.plotly}: ${answer.status}`);
  return plotly;
}

/** A text as Plotly shows it letter by letter: in its labels it reads tags and entities. @param {string} text */
export const asLabel = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

const TEXT = 14; // px
const TOP = 84; // px over a plot: its buttons, and its key, which has two lines on a phone
const CONFIG = {
  displaylogo: false,
  displayModeBar: true,
  responsive: true,
  typesetMath: false,
  plotlyServerURL: "", // nothing of a run leaves the page: none of its buttons is one that sends a plot
  modeBarButtons: [["toImage"], ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
};

/** @param {Plot} plot @returns {Promise<void>} until it is drawn */
async function openPlot({ title, note, label, file, hasLog, draw }) {
  const status = el("p.sv-note", { role: "status" }, WORDS.plot_coming);
  const figure = el("div.sv-plot-figure", { role: "group", "aria-label": label });
  let isLog = false;
  let redraw = async () => {};
  const toggle = button(
    WORDS.plot_log,
    () => {
      isLog = !isLog;
      toggle.setAttribute("aria-pressed", String(isLog));
      redraw();
    },
    { "aria-pressed": "false" },
  );
  const parts = [el("p.sv-note", null, note), status, hasLog ? toggle : null, figure];
  const dialog = openDialog(query(document, "#race"), title, parts, ".sv-plot");
  const config = { ...CONFIG, toImageButtonOptions: { format: "png", filename: file } };
  try {
    const plotly = await loadPlotly();
    if (!dialog.open) return;
    redraw = async () => {
      const look = lookOf(dialog);
      const { data, layout } = draw(look, isLog);
      await plotly.react(figure, data, { ...layoutOf(look), ...layout }, config);
    };
    dialog.addEventListener("close", () => plotly.purge(figure));
    await redraw();
    setText(status, WORDS.plot_how);
  } catch (error) {
    console.warn(error);
    setText(status, WORDS.plot_lost);
  }
}

/** What all plots have in common. @param {Look} look */
const layoutOf = (look) => ({
  paper_bgcolor: look.page,
  plot_bgcolor: look.page,
  font: { family: look.font, size: TEXT, color: look.ink },
  hoverlabel: { bgcolor: look.ink, bordercolor: look.ink, font: { color: look.page, size: TEXT } },
  modebar: { bgcolor: look.page, color: look.muted, activecolor: look.ink },
  legend: { orientation: "h", x: 0, y: 1, yanchor: "bottom" },
  barmode: "group",
  bargap: 0.25,
  dragmode: "zoom",
});

/** An axis in the page's colours. @param {Look} look @param {string} [title] */
const axisOf = ({ rule, muted }, title = "") => ({
  title: { text: title, standoff: 8 },
  color: muted,
  gridcolor: rule,
  zerolinecolor: rule,
});

/** @param {HTMLElement} place @returns {Look} */
function lookOf(place) {
  const probe = el("span");
  place.append(probe);
  const colour = (/** @type {string} */ name) => {
    probe.style.color = `var(--sv-${name})`;
    return getComputedStyle(probe).color;
  };
  const names = /** @type {const} */ (["ink", "muted", "rule", "page", "target", "draft"]);
  const colours = Object.fromEntries(names.map((name) => [name, colour(name)]));
  const look = { ...colours, bonus: colour("accepted-line"), font: getComputedStyle(place).fontFamily };
  probe.remove();
  return /** @type {Look} */ (look);
}

const SHARES = /** @type {const} */ (["given_reached", "of_blocks"]);

/** @param {AtPosition[]} positions */
export function plotAcceptance(positions) {
  const sentences = positions.map((at) => plain("plot_at", { ...at, share: percent(at.given_reached) }));
  return openPlot({
    title: WORDS.position_title,
    note: WORDS.plot_positions_is,
    label: sentences.join(" "),
    file: "specviz-acceptance",
    hasLog: false,
    draw: acceptanceDrawing(positions),
  });
}

/** @param {AtPosition[]} positions @returns {Draw} */
function acceptanceDrawing(positions) {
  /** @param {AtPosition} at @param {typeof SHARES[number]} key */
  const hover = (at, key) => {
    const counts = { ...at, share: percent(at[key]) };
    return plain(key === "of_blocks" ? "plot_at_blocks" : "plot_at", counts);
  };
  return (look) => ({
    data: SHARES.map((key) => ({
      type: "bar",
      name: wordOf(`position_${key}`),
      x: positions.map(({ position }) => position),
      y: positions.map((at) => at[key]),
      marker: { color: key === "of_blocks" ? look.target : look.bonus },
      hovertext: positions.map((at) => hover(at, key)),
      hoverinfo: "text",
    })),
    layout: {
      height: 400,
      margin: { l: 60, r: 16, t: TOP, b: 52 },
      xaxis: { ...axisOf(look, WORDS.position_position), dtick: 1, showgrid: false },
      yaxis: { ...axisOf(look, WORDS.position_accepted), range: [0, 1.02], tickformat: ".0%" },
    },
  });
}

const [ROW, BOTTOM] = [30, 52]; // px: a token, and what stands under the plot
const LETTER = 8; // px
const [NAME, HOVER_NAME] = [18, 60]; // letters of a token beside its bars, and under the pointer

/** @param {Distribution} distribution */
export function plotProbabilities(distribution) {
  const { series, rows, rest } = distribution;
  const alone = series.length === 1;
  const values = { n: rows.length, p: probability(rest.p), q: probability(rest.q) };
  return openPlot({
    title: wordOf(alone ? "bars_title_p" : "bars_title"),
    note: plain(alone ? "plot_kept_p" : "plot_kept", values),
    label: plain("plot_label", { n: rows.length, names: series.map(wordOf).join(", ") }),
    file: "specviz-p-and-q",
    hasLog: true,
    draw: probabilitiesDrawing(distribution),
  });
}

/** @param {Distribution} distribution @returns {Draw} */
function probabilitiesDrawing({ rows, series, columns, chosen }) {
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

/** A logarithmic axis begins at the power of ten below the smallest value.
 * @param {boolean} log @param {number} least */
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
