// A chart as a file: it needs no stylesheet, and stands on the page's own ground.

import { el, shape } from "../player/dom.js";
import { save } from "../player/page.js";

const STYLES = [
  "fill",
  "stroke",
  "stroke-width",
  "stroke-dasharray",
  "stroke-opacity",
  "opacity",
  "shape-rendering",
  "font-size",
  "font-weight",
  "text-anchor",
];
const MARGIN = 12;
const PIXEL_RATIO = 2; // pixels of a PNG for one of the page

/** Downloads a chart as PNG, with as many pixels as a slide takes.
 * @param {SVGSVGElement} chart on the page, or `beside` something there whose colours it takes
 * @param {string} name of the file, without its ending @param {Element} [beside] */
export function saveChart(chart, name, beside) {
  if (beside) beside.append(chart);
  const svg = standaloneCopy(chart);
  if (beside) chart.remove();
  drawPng(new XMLSerializer().serializeToString(svg), (data) => save(`${name}.png`, "image/png", data));
}

/** @param {SVGSVGElement} chart */
function standaloneCopy(chart) {
  const svg = /** @type {SVGSVGElement} */ (chart.cloneNode(true));
  const [from, to] = [chart, svg].map((root) => [...root.querySelectorAll("*")]);
  from.forEach((node, i) => {
    const look = getComputedStyle(node);
    for (const name of STYLES) /** @type {SVGElement} */ (to[i]).style.setProperty(name, look.getPropertyValue(name));
  });
  const { width, height } = chart.viewBox.baseVal;
  const size = { width: width + 2 * MARGIN, height: height + 2 * MARGIN };
  const fill = getComputedStyle(chart).getPropertyValue("--sv-page").trim();
  const box = { viewBox: [-MARGIN, -MARGIN, size.width, size.height].join(" "), ...size };
  for (const [key, value] of Object.entries(box)) svg.setAttribute(key, String(value));
  svg.prepend(shape("rect", { x: -MARGIN, y: -MARGIN, ...size, fill }));
  svg.removeAttribute("style");
  svg.style.fontFamily = "system-ui, sans-serif";
  return svg;
}

/** @param {string} svg @param {(data: Blob) => void} done */
function drawPng(svg, done) {
  const image = new Image();
  image.onload = () => {
    const canvas = el("canvas");
    canvas.width = PIXEL_RATIO * image.width;
    canvas.height = PIXEL_RATIO * image.height;
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    canvas.toBlob((data) => data && done(data));
  };
  image.src = `data:image/svg+xml,${encodeURIComponent(svg)}`;
}
