// A picture as it was sent (specviz/picture/packed.py) → the picture: numbers of tokens become the tokens again.

/** @import { Picture, Token } from "./types.js" */

/** @param {string} text @returns {Picture} */
export const readPicture = (text) => unpack(JSON.parse(text));

/** @param {any} packed @returns {Picture} */
export function unpack({ tokens, ...packed }) {
  /** @type {Token[]} */
  const known = tokens.map((/** @type {[number, string, boolean]} */ [id, text, partial]) => ({ id, text, partial }));
  const row = (/** @type {number[]} */ [token, p, q]) => ({ token: known[token], p, q: q ?? null });
  /** @type {(value: any) => any} */
  const open = (value) => {
    if (Array.isArray(value)) return value.map(open);
    if (value === null || typeof value !== "object") return value;
    const pairs = Object.entries(value).map(([key, each]) => {
      if (key === "token") return [key, known[each]];
      return [key, key === "entries" ? each.map(row) : open(each)];
    });
    return Object.fromEntries(pairs);
  };
  return open(packed);
}
