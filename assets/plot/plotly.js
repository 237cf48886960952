// Plotly's script, fetched with the first plot that is opened (assets/plot/vendor).

import { loadBundle } from "../shared/bundle.js";
import { currentRun } from "../shared/current_run.js";

/** @import { PlotlyScript } from "./types.js" */

/** @type {Promise<PlotlyScript> | null} */
let request = null;

/** Where it does not come, the next plot asks again. @returns {Promise<PlotlyScript>} */
export function loadPlotly() {
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

/**
 * A text as Plotly shows it letter by letter: in its labels it reads tags and entities.
 * @param {string} text
 */
export const asLabel = (text) => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
