// The lesson: some chapters and the room, in their order (specviz/page/learn/lesson.py). All else is homework.

import { fillText } from "../shared/sentences.js";
import { writeTabStored } from "../shared/store.js";
import { openPanel } from "../shared/tabs.js";
import { LESSON, PAGE } from "./lesson.js";

/** @import { Stop, Tab } from "./types.js" */

/**
 * Where one goes from a chapter: the chapter beside it, or in a lesson the stop beside it. Null at an end.
 * @param {Pick<Tab, "lesson" | "chapter">} tab @param {1 | -1} way
 * @returns {{ chapter: number | null, title: string } | null} `chapter`: null for the room
 */
export function neighbour({ lesson, chapter }, way) {
  if (!lesson) {
    const next = LESSON.chapters[chapter + way];
    return next ? { chapter: chapter + way, title: next.title } : null;
  }
  const { path } = LESSON;
  const at = path.findIndex((stop) => stop.chapter === chapter);
  const stop = at >= 0 ? path[at + way] : nextStop(chapter, way);
  if (!stop) return null;
  return { chapter: stop.chapter, title: stop.chapter === null ? PAGE.room : LESSON.chapters[stop.chapter].title };
}

/** Of a chapter that the lesson leaves out: the lesson's next one. @param {number} chapter @param {1 | -1} way */
function nextStop(chapter, way) {
  const stops = way > 0 ? LESSON.path : [...LESSON.path].reverse();
  return stops.find((stop) => stop.chapter !== null && (stop.chapter - chapter) * way > 0);
}

/** The chapter of the lesson after the room, where one goes on when one comes back. */
export function afterRoom() {
  const { path } = LESSON;
  return path[path.findIndex(({ chapter }) => chapter === null) + 1]?.chapter ?? null;
}

/** What a teacher does at a stop, and when. @param {Stop} stop */
export const stopText = ({ from, until, what }) => fillText(PAGE.stop, { from, until, what });

/** The room is a panel of the Lab. @param {boolean} projected */
export function openRoom(projected) {
  if (projected) writeTabStored("projector", "lab");
  openPanel({ lab: "classroom", lab_who: "room" });
}
