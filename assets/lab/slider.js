// A number of a panel that can be moved, written as the panel has it.

import { slider } from "../shared/slider.js";

/**
 * @param {string} word @param {[least: number, most: number, step: number]} bounds @param {number} value
 * @param {(value: number) => string} written @param {(value: number) => void} moved
 */
export function makeSlider(word, [min, max, step], value, written, moved) {
  const { root, input, show } = slider(word, min, max, step, (now) => {
    write(now);
    moved(now);
  });
  const write = (/** @type {number} */ now) => show(now, written(now));
  write(value);
  return {
    root,
    value: () => Number(input.value),
    /** Other bounds, and nothing to move where `on` is false. @param {number} most @param {boolean} on */
    bound(most, on) {
      input.max = String(most);
      input.disabled = !on;
      write(Number(input.value));
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
