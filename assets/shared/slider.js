// A number that can be moved: its name, the slider, the number.

import { el, setText } from "./dom.js";

/**
 * @param {string} word @param {number} min @param {number} max @param {number} step
 * @param {(value: number) => void} moved
 */
export function slider(word, min, max, step, moved) {
  const input = el("input", { type: "range", min, max, step, "aria-label": word });
  const out = el("output");
  input.addEventListener("input", () => moved(Number(input.value)));
  return {
    root: el("label.sv-slider", null, el("span", null, word), input, out),
    input,
    /** @param {number} value @param {string} written */
    show(value, written) {
      input.value = String(value);
      input.setAttribute("aria-valuetext", written);
      setText(out, written);
    },
  };
}
