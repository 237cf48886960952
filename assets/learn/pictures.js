// The picture of each chapter, by its key. A chapter names its own in assets/learn/KEY/picture.js, and all such files
// are part of the page's script (specviz/picture/bundle.py).

/** @import { Excerpts, Picture, Stage } from "./types.js" */

/** @typedef {(excerpt: any, stage: Stage) => Picture} Draw */

/** @type {Map<string, Draw>} */
const PICTURES = new Map();

/** @param {string} key @param {Draw} draw what draws the chapter from its excerpt */
export function addPicture(key, draw) {
  PICTURES.set(key, draw);
}

/**
 * null where no recorded run has anything to show.
 * @param {string} key @param {Excerpts} excerpts @param {Stage} stage
 */
export function pictureOf(key, excerpts, stage) {
  const excerpt = excerpts[key];
  const draw = PICTURES.get(key);
  if (!draw || !excerpt || (Array.isArray(excerpt) && !excerpt.length)) return null;
  return draw(excerpt, stage);
}
