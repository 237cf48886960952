// A run as it is sent (specviz/picture/replay.py): its trace, packed → the trace → its picture.

import { ABOUT } from "../shared/words.js";
import { pictureOf } from "./view.js";

/** @import { Picture, Token } from "../shared/types.js" */
/** @import { Trace } from "../trace/types.js" */
/** @typedef {{ body: object, shapes: string[][], tokens: [number, string, boolean][] }} Packed */

/** @type {{ text: string, picture: Picture } | null} whoever asks again for what was drawn last is given that */
let last = null;

/** @param {string} text @returns {Picture} */
export function readPicture(text) {
  if (last?.text !== text) last = { text, picture: pictureOf(unpack(JSON.parse(text)), ABOUT) };
  return last.picture;
}

/** A trace that was never packed is its own body. @param {Trace} trace @returns {Packed} */
export const asPacked = (trace) => ({ body: trace, shapes: [], tokens: [] });

/** @param {Packed} packed @returns {Trace} */
export function unpack({ body, shapes, tokens }) {
  /** @type {Token[]} */
  const byIndex = tokens.map(([id, text, partial]) => ({ id, text, partial }));
  /** @type {(value: any) => any} */
  const expand = (value) => {
    if (!Array.isArray(value)) return value;
    const names = shapes[value[0]];
    if (!names) return value.slice(1).map(expand);
    /** @type {Record<string, any>} */
    const fields = {};
    for (let i = 0; i < names.length; i++)
      fields[names[i]] = names[i] === "token" ? byIndex[value[i + 1]] : expand(value[i + 1]);
    return fields;
  };
  if (!shapes.length) return /** @type {Trace} */ (body);
  return /** @type {any} */ (Object.fromEntries(Object.entries(body).map(([name, part]) => [name, expand(part)])));
}
