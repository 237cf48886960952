// One of a few recorded positions, chosen beside the word that says what they are.

import { choices } from "../shared/choices.js";
import { el } from "../shared/dom.js";
import { PAGE } from "./lesson.js";

/**
 * @param {string} name of the inputs @param {string[]} words one each @param {number} first the chosen one
 * @param {(at: number) => void} chosen
 */
export function positions(name, words, first, chosen) {
  const options = words.map((word, at) => /** @type {[number, string]} */ ([at, word]));
  const { root, show } = choices(PAGE.position, name, options, first, chosen);
  return { root: el("div.sv-flow", null, PAGE.position, root), show };
}
