// What is chosen: a list with its name, and a whole number.

import { select } from "../shared/controls.js";
import { el } from "../shared/dom.js";

/**
 * @param {string} word @param {[value: string, word: string][]} options @param {string} value
 * @param {(value: string) => void} chosen
 */
export function choice(word, options, value, chosen) {
  const list = select(options, { "aria-label": word }, value);
  list.addEventListener("change", () => chosen(list.value));
  return { root: el("label.lab-choice", null, el("span", null, word), list), select: list };
}

/**
 * A whole number within bounds. What is not is refused in words, never changed in silence; `refuse` gets null once it
 * is mended.
 * @param {string} word @param {number} value @param {[least: number, most: number]} bounds
 * @param {(value: number) => void} chosen @param {(bounds: [number, number] | null) => void} refuse
 */
export function whole(word, value, bounds, chosen, refuse) {
  const [least, most] = bounds;
  const input = el("input.sv-input", { type: "number", min: least, max: most, step: 1, value, "aria-label": word });
  input.addEventListener("change", () => {
    const good = wholeIn(input.value, bounds);
    input.setAttribute("aria-invalid", String(good === null));
    refuse(good === null ? bounds : null);
    if (good !== null) chosen(good);
  });
  return { root: el("label.lab-choice", null, el("span", null, word), input), input };
}

/**
 * The whole number that a text is, if it is one within bounds.
 * @param {string} text @param {[number, number]} bounds
 */
export function wholeIn(text, [least, most]) {
  const n = /^\d{1,12}$/.test(text) ? Number(text) : Number.NaN;
  return n >= least && n <= most ? n : null;
}
