// A button.

import { el } from "./dom.js";

/** @import { Child } from "./types.js" */

/**
 * @param {Child} word what stands on it @param {() => void} act
 * @param {Record<string, string | null>} [attributes] its classes among them
 */
export function button(word, act, { class: own = "", ...attributes } = {}) {
  const node = el("button", { type: "button", ...attributes, class: `sv-button ${own}`.trim() }, word);
  node.addEventListener("click", act);
  return node;
}
