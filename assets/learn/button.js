// A button of the tab.

import { el } from "../shared/dom.js";

/** @param {string} word @param {() => void} act @param {Record<string, string>} [attributes] */
export function button(word, act, attributes = {}) {
  const node = el("button.lrn-button", { type: "button", ...attributes }, word);
  node.addEventListener("click", act);
  return node;
}
