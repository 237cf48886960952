// Sentences with places to fill in: as nodes, so that what is filled in is never read as part of the sentence, or as
// text.

import { WORDS, wordOf } from "./words.js";

/** @import { Checked } from "./keys.js" */

/** @typedef {Record<string, unknown>} Values what fills in a sentence's {places}: nodes, or what is written as text */

// What is counted in sentences. After a 1 that fills a place it stands in the singular: "1 drafted token".
const PLURAL = /^( (?:[a-z]+ )?)(?:(pass|guess)es|(token|text|round|run|seed|step|draft|position|request|thread)s)\b/;

/**
 * A sentence's own parts and what fills its places, in order.
 * @param {string} sentence @param {Values} values @returns {(string | Node)[]}
 */
function parts(sentence, values) {
  let one = false;
  return sentence.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part);
    if (!name) return one ? part.replace(PLURAL, "$1$2$3") : part;
    const value = values[name[1]];
    one = String(value) === "1";
    return value instanceof Node ? value : String(value ?? WORDS.none);
  });
}

/**
 * A sentence as a list of nodes: split once at its own marks.
 * @param {string} sentence @param {Values} [values] @returns {Node[]}
 */
export function fill(sentence, values = {}) {
  return parts(sentence, values).map((part) =>
    part instanceof Node ? part.cloneNode(true) : document.createTextNode(part),
  );
}

/** The same as text. @param {string} sentence @param {Values} [values] */
export function fillText(sentence, values = {}) {
  return parts(sentence, values)
    .map((part) => (part instanceof Node ? (part.textContent ?? "") : part))
    .join("");
}

/** One of the shared sentences, as nodes. @template {string} Key @param {Checked<Key>} key @param {Values} [values] */
export const phrase = (key, values) => fill(wordOf(/** @type {string} */ (key)), values);

/** One of the shared sentences, as text. @template {string} Key @param {Checked<Key>} key @param {Values} [values] */
export const plain = (key, values) => fillText(wordOf(/** @type {string} */ (key)), values);
