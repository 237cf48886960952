// What people type, as it goes on after a text: a new word stands behind a space, a comma does not.

const CLOSES = /^[\p{Pe}\p{Pf}.,:;!?%'’]/u;

/**
 * @param {string} words as they were typed @param {string} text what stands before
 * @param {boolean} inside they go on inside its last word
 */
export function continuation(words, text, inside) {
  const typed = words.trim();
  return !typed || inside || CLOSES.test(typed) || !text || /\s$/.test(text) ? typed : ` ${typed}`;
}
