// A number that can be moved: its name, the slider, the number.

import { el, setText } from "./dom.js";

/**
 * @param {string} word @param {number} min @param {number} max @param {number} step
 * @param {(value: number) => void} onMove
 */
export function slider(word, min, max, step, onMove) {
  const input = el("input", { type: "range", min, max, step, "aria-label": word });
  const out = el("output");
  input.addEventListener("input", () => onMove(Number(input.value)));
  return {
    root: el("label.sv-slider", null, el("span", null, word), input, out),
    input,
    /** @param {number} value @param {string} text */
    show(value, text) {
      input.value = String(value);
      input.setAttribute("aria-valuetext", text);
      setText(out, text);
    },
  };
}
