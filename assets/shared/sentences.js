// Sentences with places to fill in: as nodes, so that what is filled in is never read as part of the sentence, or as
// text.

import { WORDS } from "./words.js";

/** @typedef {Record<string, unknown>} Values what fills in a sentence's {places}: nodes, or what is written as text */

/**
 * A sentence as a list of nodes: split once at its own marks.
 * @param {string} sentence
 * @param {Values} [values]
 * @returns {Node[]}
 */
export function fill(sentence, values = {}) {
  return sentence.split(/(\{\w+\})/).map((part) => {
    const name = /^\{(\w+)\}$/.exec(part);
    const value = name ? values[name[1]] : part;
    if (value instanceof Node) return value.cloneNode(true);
    return document.createTextNode(String(value ?? WORDS.none));
  });
}

/**
 * The same as text.
 * @param {string} sentence
 * @param {Values} [values]
 */
export function filled(sentence, values = {}) {
  return sentence.replace(/\{(\w+)\}/g, (_, name) => {
    const value = values[name];
    return value instanceof Node ? (value.textContent ?? "") : String(value ?? WORDS.none);
  });
}

/** One of the shared sentences, as nodes. @param {string} key @param {Values} [values] */
export const say = (key, values) => fill(WORDS[key], values);

/** One of the shared sentences, as text. @param {string} key @param {Values} [values] */
export const plain = (key, values) => filled(WORDS[key], values);
