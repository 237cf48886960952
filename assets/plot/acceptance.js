// Acceptance by position in the block: of the tokens that the target reached there, and of all blocks.

import { percent } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";
import { axisOf, openPlot, TOP } from "./open.js";

/** @import { AtPosition } from "../shared/types.js" */
/** @import { Draw } from "./types.js" */

const SHARES = /** @type {const} */ (["given_reached", "of_blocks"]);

/** @param {AtPosition[]} positions */
export function plotAcceptance(positions) {
  const told = positions.map((at) => plain("plot_at", { ...at, share: percent(at.given_reached) }));
  return openPlot({
    title: WORDS.position_title,
    note: WORDS.plot_positions_is,
    label: told.join(" "),
    file: "specviz-acceptance",
    hasLog: false,
    draw: drawing(positions),
  });
}

/** @param {AtPosition[]} positions @returns {Draw} */
function drawing(positions) {
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
