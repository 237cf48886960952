// What is on the screen as files, and as a link.

import { button } from "../shared/button.js";
import { csv } from "../shared/csv.js";
import { el } from "../shared/dom.js";
import { png, written } from "../shared/png.js";
import { save } from "../shared/save.js";
import { PAGE } from "./page.js";

/** @import { Bench, Drawn } from "./types.js" */

const LOOK = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "opacity",
  "font-size",
  "font-weight",
  "text-anchor",
];
const MARGIN = 12;

/** @param {string} key @param {Drawn} drawn @param {Bench} bench */
export function files(key, drawn, bench) {
  const name = `specviz-${key}`;
  const { embed } = bench;
  const with_ = (
    /** @type {SVGSVGElement | null | undefined} */ chart,
    /** @type {(svg: SVGSVGElement) => void} */ act,
  ) => {
    if (chart) act(standalone(chart));
    else bench.say(PAGE.nothing_to_save);
  };
  const asTable = () => {
    const table = drawn.table?.();
    if (table) save(`${name}.csv`, "text/csv", `\ufeff${csv(table)}`);
    else bench.say(PAGE.nothing_to_save);
  };
  const asSvg = () => with_(drawn.chart?.(), (svg) => save(`${name}.svg`, "image/svg+xml", written(svg)));
  const asPng = () => with_(drawn.chart?.(), (svg) => png(svg, (data) => save(`${name}.png`, "image/png", data)));
  return el(
    "div.lab-files",
    null,
    drawn.table ? button(PAGE.csv, asTable) : null,
    drawn.chart ? [button(PAGE.png, asPng), button(PAGE.svg, asSvg)] : null,
    button(PAGE.copy, () => copy(bench, location.href, PAGE.copied, PAGE.link)),
    embed ? button(embed.word, () => copy(bench, embed.line(), embed.copied, embed.refused)) : null,
  );
}

/** @param {Bench} bench @param {string} text @param {string} copied a sentence
 * @param {string} refused and one where the browser does not let the page */
async function copy(bench, text, copied, refused) {
  try {
    await navigator.clipboard.writeText(text);
    bench.say(copied);
  } catch {
    bench.say(`${refused} ${text}`);
  }
}

/** A drawing that needs no stylesheet, on the page's own ground. @param {SVGSVGElement} chart */
function standalone(chart) {
  const svg = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
  const [from, to] = [chart, svg].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((node, i) => {
    const look = getComputedStyle(node);
    for (const name of LOOK) /** @type {SVGElement} */ (to[i]).style.setProperty(name, look.getPropertyValue(name));
  });
  const { width, height } = chart.viewBox.baseVal;
  const [w, h] = [width + 2 * MARGIN, height + 2 * MARGIN];
  const box = { viewBox: `${-MARGIN} ${-MARGIN} ${w} ${h}`, width: w, height: h, xmlns: "http://www.w3.org/2000/svg" };
  for (const [key, value] of Object.entries(box)) svg.setAttribute(key, String(value));
  const ground = document.createElementNS(svg.namespaceURI, "rect");
  const fill = getComputedStyle(chart).getPropertyValue("--sv-page").trim();
  for (const [key, value] of Object.entries({ x: -MARGIN, y: -MARGIN, width: w, height: h, fill })) {
    ground.setAttribute(key, String(value));
  }
  svg.prepend(ground);
  svg.style.fontFamily = "system-ui, sans-serif";
  return svg;
}
