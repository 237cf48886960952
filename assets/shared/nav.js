// A part of a tab in the bar above it, a chapter or a panel: its sign and its name.

import { plainButton } from "./controls.js";
import { el } from "./dom.js";

/** @param {string} sign @param {string} short @param {string} title @param {boolean} here @param {() => void} open */
export function navItem(sign, short, title, here, open) {
  const look = { title, "aria-current": here ? "page" : null };
  return el("li", null, plainButton("button", look, open, el("b", null, sign), el("span", null, short)));
}
