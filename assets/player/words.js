// The words and the roles that all panels write with (specviz/picture/replay.py and palette.py, known once before anything
// is drawn) and the terms that are explained where they stand (specviz/words/glossary.toml); sentences with places to fill
// in, as nodes, so that what is filled in is never read as part of the sentence, or as text; and numbers as a person writes them.

/** @import { Checked, WordKey } from "../shared/keys.js" */
/** @import { About, Term, Vocabulary } from "../shared/types.js" */

/** @type {Record<WordKey, string>} */
export const WORDS = /** @type {any} */ ({}); // until `setVocabulary`

/** A word whose key is made of parts. @template {string} Key @param {Checked<Key>} key */
export const wordOf = (key) => WORDS[/** @type {WordKey} */ (/** @type {string} */ (key))];

/** @type {Record<string, { glyph: string, word: string }>} */
export const ROLES = {};

/** The word of a token's role; of a void draft, once it is decided, its own. @param {string} role
 * @param {boolean} [forbidden] */
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

/** @typedef {Record<string, unknown>} Values what fills in a sentence's {places}: nodes, or what is written as text */

// What is counted in sentences. After a 1 that fills a place it stands in the singular: "1 drafted token".
const PLURAL = /^( (?:[a-z]+ )?)(?:(pass|guess)es|(token|text|round|run|seed|step|draft|position|request|thread)s)\b/;

/** A sentence's own parts and what fills its places, in order. @param {string} sentence @param {Values} values
 * @returns {(string | Node)[]} */
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

/** A sentence as a list of nodes: split once at its own marks. @param {string} sentence @param {Values} [values]
 * @returns {Node[]} */
export function fill(sentence, values = {}) {
  return parts(sentence, values).map((part) => (part instanceof Node ? part.cloneNode(true) : document.createTextNode(part)));
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

/** @type {Record<number, Intl.NumberFormat>} by decimals: to make one takes longer than to write a number */
const FORMATS = {};

/** @typedef {number | null | undefined} Known a number, or none where a run does not have it */

/** @param {Known} value @param {number} digits */
export function number(value, digits) {
  if (value === null || value === undefined) return WORDS.none;
  if (value === 0) return "0";
  if (Math.abs(value) < 0.5 * 10 ** -digits) return `<${(10 ** -digits).toFixed(digits)}`;
  FORMATS[digits] ??= new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return FORMATS[digits].format(value);
}

/** Each as a sentence takes it. @template Value @param {Record<string, Value>} values
 * @param {(value: Value) => string} format */
export const formatted = (values, format) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, format(value)]));

/** Each with two decimals. @param {Record<string, Known>} values */
export const rounded = (values) => formatted(values, (value) => number(value, 2));

/** A probability, a ratio of two or a uniform: three decimals, and two digits at least, so that p/q can be checked by
 * eye. @param {Known} value */
export function probability(value) {
  if (!value || value >= 0.01) return number(value, 3);
  return value < 1e-5 ? value.toExponential(1) : value.toPrecision(2);
}

/** @param {Known} value a share of 1 */
export function percent(value) {
  return value === null || value === undefined ? WORDS.none : `${number(100 * value, 1)} %`;
}

/** @param {number} value */
export function milliseconds(value) {
  return number(value, value >= 100 ? 0 : value < 10 ? 2 : 1);
}

/** A time in UTC to the minute; any other as it stands. @param {string} created ISO 8601 */
export const minute = (created) => created.replace(/^([\d-]+)T(\d\d:\d\d)(:[\d.]+)?(\+00:00|Z)$/, "$1 $2 UTC");

/** A factor. @param {Known} value */
export function times(value) {
  return value === null || value === undefined ? WORDS.none : `${number(value, 2)}×`;
}
