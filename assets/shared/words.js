// The words and the roles that all panels write with: specviz/picture/sentences.py and palette.py, known once before
// anything is drawn; and the terms that are explained where they stand.

/** @import { Checked, WordKey } from "./keys.js" */
/** @import { About, Vocabulary, Term } from "./types.js" */

/** @type {Record<WordKey, string>} */
export const WORDS = /** @type {any} */ ({}); // until `setVocabulary`

/** A word whose key is made of parts. @template {string} Key @param {Checked<Key>} key */
export const wordOf = (key) => WORDS[/** @type {WordKey} */ (/** @type {string} */ (key))];

/** @type {Record<string, { glyph: string, word: string }>} */
export const ROLES = {};

/**
 * The word of a token's role; of a void draft, once it is decided, its own.
 * @param {string} role @param {boolean} [forbidden]
 */
export const roleWord = (role, forbidden = false) =>
  forbidden && (role === "rejected" || role === "unexamined") ? WORDS.void_word : (ROLES[role]?.word ?? "");

/** @type {Term[]} */
export const TERMS = [];

/** What a trace does not say of itself, for whoever draws it. */
export const ABOUT = /** @type {About} */ ({});

/** @param {Vocabulary} vocabulary */
export function setVocabulary({ words, roles, terms, about }) {
  Object.assign(WORDS, words);
  Object.assign(ROLES, roles);
  Object.assign(ABOUT, about);
  if (terms) TERMS.splice(0, TERMS.length, ...terms);
}
