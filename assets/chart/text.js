// Texts of a chart, and how a mark carries what gives it its look.

import { shape } from "../shared/shape.js";

/** @import { Look } from "./types.js" */

export const LETTER = 7.4; // px of a letter, of 14 px text

/** @param {Look} look */
export const lookAttributes = ({ series, kind }) => ({ "data-series": series ?? null, "data-kind": kind || null });

/** @param {number} x @param {number} y @param {string} words @param {string} [anchor] @param {Look} [look] */
export const text = (x, y, words, anchor = "start", look = {}) =>
  shape("text", { class: "sv-chart-text", x, y, "text-anchor": anchor, ...lookAttributes(look) }, words);

/**
 * A text in lines of at most so many letters, as far as its words allow.
 * @param {string} text @param {number} letters
 */
export function wrapWords(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + 1 + word.length > letters) lines.push(word);
    else lines[last] = `${lines[last]} ${word}`.trim();
  }
  return lines;
}

/** A name that stays in one line, and ends where the room does. @param {string} name @param {number} letters */
export const shortenName = (name, letters) =>
  (name.length > letters ? `${name.slice(0, letters - 1)}…` : name).replaceAll(" ", "\u00a0");
