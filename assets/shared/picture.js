// A picture as it was sent (specviz/picture/packed.py) → the picture.

/** @import { Picture, Token } from "./types.js" */

/** @typedef {{ body: unknown, shapes: string[][], tokens: [number, string, boolean][] }} Packed */

/** @param {string} text @returns {Picture} */
export const readPicture = (text) => unpack(JSON.parse(text));

/** @param {Packed} packed @returns {Picture} */
export function unpack({ body, shapes, tokens }) {
  /** @type {Token[]} */
  const known = tokens.map(([id, text, partial]) => ({ id, text, partial }));
  /** @type {(value: any) => any} */
  const open = (value) => {
    if (!Array.isArray(value)) return value;
    const [shape, ...values] = value;
    if (shape < 0) return values.map(open);
    return Object.fromEntries(
      shapes[shape].map((key, i) => [key, key === "token" ? known[values[i]] : open(values[i])]),
    );
  };
  return open(body);
}
