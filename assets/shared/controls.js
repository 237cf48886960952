// What is pressed and what is chosen from; and who has the focus where that is drawn anew.

import { el } from "./dom.js";

/** @import { Child } from "./types.js" */

/**
 * @param {Child} word what stands on it @param {() => void} act
 * @param {Record<string, string | null>} [attributes] its classes among them
 */
export const button = (word, act, { class: own = "", ...attributes } = {}) =>
  plainButton("button", { ...attributes, class: `sv-button ${own}`.trim() }, act, word);

/**
 * A button that looks otherwise. @template {`button${string}`} Name @param {Name} name
 * @param {Record<string, unknown> | null} attributes @param {() => void} act @param {...Child} children
 */
export function plainButton(name, attributes, act, ...children) {
  const node = el(name, { type: "button", ...attributes }, ...children);
  node.addEventListener("click", act);
  return node;
}

/**
 * A list to choose from. @param {[value: unknown, word: string][]} options
 * @param {Record<string, unknown> | null} [attributes] @param {unknown} [value] what is chosen first
 */
export function select(options, attributes, value) {
  const node = el("select.sv-input", attributes, ...options.map(([value, word]) => el("option", { value }, word)));
  if (value !== undefined) node.value = String(value);
  return node;
}

/**
 * Draw anew: what has the focus in the box hands it to the like of it that then stands in its place.
 * @param {HTMLElement} box @param {() => void} draw @param {HTMLElement} [otherwise] where none does
 */
export function redraw(box, draw, otherwise) {
  const focused = /** @type {HTMLElement} */ (document.activeElement);
  if (!box.contains(focused)) return draw();
  const alike = () =>
    /** @type {HTMLElement[]} */ ([...box.querySelectorAll(focused.localName)]).filter(
      ({ className }) => className === focused.className,
    );
  const at = alike().indexOf(focused);
  draw();
  (alike()[at] ?? otherwise)?.focus({ preventScroll: true });
}
