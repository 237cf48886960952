// A part of a tab in the bar above it, a chapter or a panel: its sign and its name.

import { el } from "./dom.js";

/** @param {string} sign @param {string} short @param {string} title @param {boolean} here @param {() => void} open */
export function navItem(sign, short, title, here, open) {
  const look = { type: "button", title, "aria-current": here ? "page" : null };
  const node = el("button", look, el("b", null, sign), el("span", null, short));
  node.addEventListener("click", open);
  return el("li", null, node);
}
