// A number of a panel that can be moved: its name, the slider, the number.

import { el, setText } from "../shared/dom.js";

/**
 * @param {string} word @param {[least: number, most: number, step: number]} bounds @param {number} value
 * @param {(value: number) => string} written @param {(value: number) => void} moved
 */
export function makeSlider(word, [min, max, step], value, written, moved) {
  const input = el("input", { type: "range", min, max, step, "aria-label": word });
  const out = el("output");
  const write = () => {
    const said = written(Number(input.value));
    input.setAttribute("aria-valuetext", said);
    setText(out, said);
  };
  input.value = String(value);
  write();
  input.addEventListener("input", () => {
    write();
    moved(Number(input.value));
  });
  return {
    root: el("label.sv-slider", null, el("span", null, word), input, out),
    value: () => Number(input.value),
    /** Other bounds, and nothing to move where `on` is false. @param {number} most @param {boolean} on */
    bound(most, on) {
      input.max = String(most);
      input.disabled = !on;
      write();
    },
  };
}

/**
 * The number that a link asks for, within bounds; else `first`.
 * @param {string | undefined} text @param {[number, number, number]} bounds @param {number} first
 */
export function numberIn(text, [least, most], first) {
  const value = /^\d{1,7}(\.\d{1,6})?$/.test(text ?? "") ? Number(text) : Number.NaN;
  return value >= least && value <= most ? value : first;
}
