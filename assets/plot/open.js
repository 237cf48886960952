// A plot in a dialog, drawn by Plotly in the page's colours: exact values under the pointer, zoom, its picture.

import { button } from "../shared/controls.js";
import { openDialog } from "../shared/dialog.js";
import { el, query, setText } from "../shared/dom.js";
import { WORDS } from "../shared/words.js";
import { loadPlotly } from "./plotly.js";

/** @import { Look, Plot } from "./types.js" */

const TEXT = 14; // px
export const TOP = 84; // px over a plot: its buttons, and its key, which has two lines on a phone
const CONFIG = {
  displaylogo: false,
  displayModeBar: true,
  responsive: true,
  typesetMath: false,
  plotlyServerURL: "", // nothing of a run leaves the page: none of its buttons is one that sends a plot
  modeBarButtons: [["toImage"], ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
};

/** @param {Plot} plot @returns {Promise<void>} until it is drawn */
export async function openPlot({ title, note, label, file, hasLog, draw }) {
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
export const axisOf = ({ rule, muted }, title = "") => ({
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
