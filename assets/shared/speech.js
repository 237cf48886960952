// Tokens for those who listen: what cannot be seen gets a name.

import { plain } from "./sentences.js";
import { visible } from "./tokens.js";
import { WORDS, wordOf } from "./words.js";

/** @type {Record<string, string>} */
const NAMES = { "\n": "newline", "\t": "tab", "\r": "return", "\u00a0": "no_break" };

/** @param {string} text */
export function speechText(text) {
  if (/^ +$/.test(text)) return text.length === 1 ? WORDS.space : plain("spaces", { n: text.length });
  return visible(text.replace(/[\n\t\r\u00a0]/g, (c) => ` ${wordOf(NAMES[c])} `)).trim();
}
