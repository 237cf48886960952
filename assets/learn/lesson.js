// The lesson and the words around it (specviz/page/learn/lesson.py and specviz/words/learn.toml), known once before anything is drawn.
// And the picture of each chapter, by its key: a chapter names its own in assets/learn/KEY/picture.js, and all such
// files are part of the page's script (specviz/picture/sheets.py).

/** @import { LearnKey } from "../shared/keys.js" */
/** @import { Excerpts, Lesson, Picture, Stage } from "./types.js" */

/** @type {Omit<Lesson, "page">} */
export const LESSON = /** @type {any} */ ({}); // until `setLesson`

/** @type {Record<LearnKey, string>} */
export const PAGE = /** @type {any} */ ({});

/** @typedef {(excerpt: any, stage: Stage) => Picture} Draw */

/** @type {Map<string, Draw>} */
const PICTURES = new Map();

/** @param {Lesson} lesson */
export function setLesson({ page, ...lesson }) {
  Object.assign(LESSON, lesson);
  Object.assign(PAGE, page);
}

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
