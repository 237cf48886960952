// Tokens as text: what cannot be seen gets a sign.

import { el } from "./dom.js";

/** @import { Token } from "./types.js" */

// controls, a space that does not break, zero widths, changes of direction
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const INVISIBLE = /[\u0000-\u001f\u007f\u00a0\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
/** @type {Record<string, string>} */
const SIGNS = { "\n": "↵", "\t": "⇥", "\r": "␍", "\u200d": "\u200d" };
const MOST_SPACES = 12;
export const SPECIAL = /^<\|?[\w/]+\|?>$/; // looks like a control token

/** @param {string} text */
export function visible(text) {
  const code = (/** @type {string} */ c) => c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
  return text.replace(INVISIBLE, (c) => SIGNS[c] || `⟨U+${code(c)}⟩`);
}

/** Spaces that would not be seen, drawn. @param {string} spaces */
export function drawnSpaces(spaces) {
  return "␣".repeat(Math.min(spaces.length, MOST_SPACES));
}

/** A token in a box of its own: the space before a word is the gap between boxes. @param {string} text */
export function boxText(text) {
  return visible(/^ +\S/.test(text) ? text.trimStart() : text.replace(/^ +$/, drawnSpaces));
}

/**
 * A token named inside a sentence or a row: its own direction, its spaces drawn as ␣ at the ends.
 * @param {Pick<Token, "text"> & { id: number | string, partial?: boolean }} token
 */
export function chip(token) {
  const look = { title: `id ${token.id}`, "data-bytes": token.partial ? "" : null };
  return el("bdi.sv-chip-token", look, chipText(token));
}

/** The text of a token that is named in a sentence, a row or a chart. @param {Pick<Token, "text">} token */
export const chipText = ({ text }) => visible(text).replace(/^ +| +$/g, drawnSpaces);
