// The words and the roles that all panels write with: specviz/picture/words.py and palette.py, known once before
// anything is drawn.

/** @type {Record<string, string>} */
export const WORDS = {};

/** @type {Record<string, { glyph: string, word: string }>} */
export const ROLES = {};

/** @param {{ words: typeof WORDS, roles: typeof ROLES }} given */
export function know({ words, roles }) {
  Object.assign(WORDS, words);
  Object.assign(ROLES, roles);
}
