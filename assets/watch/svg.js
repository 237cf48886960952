// Bars of the inspector as a picture file: what stands on the page, drawn again as SVG at the same places.

import { button } from "../shared/button.js";
import { save } from "../shared/save.js";
import { shape } from "../shared/shape.js";
import { WORDS } from "../shared/words.js";

const MARGIN = 12;

/** @param {HTMLElement} bars @param {string} name of the file */
export function saveButton(bars, name) {
  const act = () => save(`specviz-${name}.svg`, "image/svg+xml", new XMLSerializer().serializeToString(svgOf(bars)));
  return button(WORDS.save_bars, act, { class: "sv-save-bars" });
}

/** @param {HTMLElement} bars */
function svgOf(bars) {
  const box = bars.getBoundingClientRect();
  const width = box.width + 2 * MARGIN;
  const height = box.height + 2 * MARGIN;
  const svg = shape("svg", { viewBox: `${-MARGIN} ${-MARGIN} ${width} ${height}`, width, height });
  const page = getComputedStyle(document.body).backgroundColor;
  svg.append(shape("rect", { x: -MARGIN, y: -MARGIN, width: "100%", height: "100%", fill: page }));
  for (const key of bars.querySelectorAll(".sv-key")) {
    svg.append(area(key, box, getComputedStyle(key, "::before").backgroundColor, 12));
  }
  for (const fill of bars.querySelectorAll(".sv-fill")) {
    svg.append(area(fill, box, getComputedStyle(fill).backgroundColor));
  }
  const texts = document.createTreeWalker(bars, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) svg.append(written(/** @type {Text} */ (texts.currentNode), box));
  return svg;
}

/**
 * @param {Element} node
 * @param {DOMRect} box
 * @param {string} fill
 * @param {number} [side] of a square, instead of the node's own size
 */
function area(node, box, fill, side) {
  const at = node.getBoundingClientRect();
  const size = { width: side || at.width, height: side || at.height };
  return shape("rect", { x: at.left - box.left, y: at.top - box.top, ...size, fill });
}

/** @param {Text} text @param {DOMRect} box */
function written(text, box) {
  const range = document.createRange();
  range.selectNodeContents(text);
  const at = range.getBoundingClientRect();
  const look = getComputedStyle(/** @type {Element} */ (text.parentNode));
  const font = { "font-size": look.fontSize, "font-weight": look.fontWeight, "font-family": "system-ui, sans-serif" };
  const place = { x: at.left - box.left, y: at.bottom - box.top - 0.28 * at.height };
  const line = shape("text", { ...place, fill: look.color, ...font });
  line.textContent = text.data;
  return line;
}
