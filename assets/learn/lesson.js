// The lesson and the words around it (specviz/page/learn/lesson.py and words.py), known once before anything is drawn.

/** @import { LearnKey } from "../shared/keys.js" */
/** @import { Lesson } from "./types.js" */

/** @type {Omit<Lesson, "page">} */
export const LESSON = {
  chapters: [],
  sources: {},
  path: [],
  study: { right: [], asked: [], words: {} },
  ending: { able: [], questions: [], links: [], words: {} },
  game: /** @type {any} */ ({ texts: [] }),
};

/** @type {Record<LearnKey, string>} */
export const PAGE = /** @type {any} */ ({}); // until `setLesson`

/** @param {Lesson} given */
export function setLesson({ page, ...lesson }) {
  Object.assign(LESSON, lesson);
  Object.assign(PAGE, page);
}
