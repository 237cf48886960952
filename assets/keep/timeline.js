// The timeline, drawn again by Plotly in the colours of the page and under the settings of the run, as a file.

import { el } from "../shared/dom.js";

/** @typedef {HTMLElement & { data?: unknown[], layout: any }} Plot */
/** @typedef {Window & { Plotly?: { toImage: (figure: object, options: object) => Promise<string> } }} WithPlotly */

const SIZE = { width: 1200, height: 300 };

/**
 * @param {"png" | "svg"} format @param {string} name of the file
 * @param {string} done @param {string} none what the status line says: it is saved, or there is nothing to save
 */
export async function savePicture(format, name, done, none) {
  const race = document.querySelector("#race");
  const plot = /** @type {Plot | null | undefined} */ (race?.querySelector("#timeline .js-plotly-plot"));
  const { Plotly } = /** @type {WithPlotly} */ (window);
  if (!race || !Plotly || !plot?.data?.length) return none;
  const options = { ...SIZE, format, scale: format === "png" ? 2 : 1 };
  const href = await Plotly.toImage({ data: plot.data, layout: layoutOf(plot.layout, race) }, options);
  el("a", { href, download: name }).click();
  return done;
}

/** @param {any} layout @param {Element} race */
function layoutOf(layout, race) {
  const colour = (/** @type {string} */ name) => getComputedStyle(race).getPropertyValue(`--sv-${name}`).trim();
  const axis = { color: colour("muted"), gridcolor: colour("rule"), linecolor: colour("rule") };
  const line = race.querySelector(".sv-settings-line")?.textContent || "";
  const text = line.replace(/&/g, "&amp;").replace(/</g, "&lt;"); // Plotly reads a few tags in its texts
  const place = { x: 0.01, xanchor: "left", y: 0.97, yanchor: "top" };
  return {
    ...layout,
    ...SIZE,
    autosize: false,
    paper_bgcolor: colour("page"),
    plot_bgcolor: colour("page"),
    font: { ...layout.font, color: colour("ink") },
    xaxis: { ...layout.xaxis, ...axis },
    yaxis: { ...layout.yaxis, ...axis },
    margin: { l: 110, r: 24, t: 84, b: 56 },
    title: { text, font: { size: 14, color: colour("muted") }, ...place },
  };
}
