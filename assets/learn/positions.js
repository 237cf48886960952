// A position: one of a few recorded ones, chosen beside the word that says what they are; and p and q of a token there.

import { bar, row } from "../shared/bars.js";
import { choices } from "../shared/choices.js";
import { el } from "../shared/dom.js";
import { formatted } from "../shared/numbers.js";
import { fillText } from "../shared/sentences.js";
import { PAGE } from "./lesson.js";

/** @import { Child } from "../shared/types.js" */

/**
 * @param {string} name of the inputs @param {string[]} words one each @param {number} first the one at first
 * @param {(at: number) => void} onChoose
 */
export function positionChoice(name, words, first, onChoose) {
  const options = words.map((word, at) => /** @type {[number, string]} */ ([at, word]));
  const { root, show } = choices(PAGE.position, name, options, first, onChoose);
  return { root: el("div.sv-flow", null, PAGE.position, root), show };
}

/**
 * On one scale, beside what both have.
 * @param {Child} name @param {{ p: number, q: number }} chances @param {number} top the end of the scale
 * @param {(chance: number) => string} format @param {boolean} marked
 */
export function pqRow(name, { p, q }, top, format, marked) {
  const bars = [bar("shared", Math.min(p, q), top), bar("p", p, top), bar("q", q, top)];
  return row(name, bars, [fillText(PAGE.pq, formatted({ p, q }, format))], marked);
}
