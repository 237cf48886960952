// What is on the screen as files, and as a link.

import { saveChart } from "../chart/save.js";
import { button } from "../shared/controls.js";
import { csv } from "../shared/csv.js";
import { el } from "../shared/dom.js";
import { save } from "../shared/save.js";
import { PAGE } from "./page.js";

/** @import { PanelContext, Drawn } from "./types.js" */

/** @param {string} key @param {Drawn} drawn @param {PanelContext} bench */
export function files(key, drawn, bench) {
  const name = `specviz-${key}`;
  const { embed } = bench;
  const asTable = () => {
    const table = drawn.table?.();
    if (table) save(`${name}.csv`, "text/csv", `\ufeff${csv(table)}`);
    else bench.say(PAGE.nothing_to_save);
  };
  const asPicture = (/** @type {"svg" | "png"} */ kind) => () => {
    const chart = drawn.chart?.();
    if (chart) saveChart(chart, kind, name);
    else bench.say(PAGE.nothing_to_save);
  };
  return el(
    "div.lab-files.sv-flow",
    null,
    drawn.table ? button(PAGE.csv, asTable) : null,
    drawn.chart ? [button(PAGE.png, asPicture("png")), button(PAGE.svg, asPicture("svg"))] : null,
    button(PAGE.copy, () => copy(bench, location.href, PAGE.copied, PAGE.link)),
    embed ? button(embed.word, () => copy(bench, embed.line(), embed.copied, embed.refused)) : null,
  );
}

/** @param {PanelContext} bench @param {string} text @param {string} copied a sentence
 * @param {string} refused and one where the browser does not let the page */
async function copy(bench, text, copied, refused) {
  try {
    await navigator.clipboard.writeText(text);
    bench.say(copied);
  } catch {
    bench.say(`${refused} ${text}`);
  }
}
