// The lesson and the words around it (specviz/page/learn/lesson.py, words/learn.toml), known once before anything is drawn; its
// path, some chapters and the room in their order (all else is homework); and the teacher's notes in a window of their own.

import { el, query, readTabStored, writeTabStored } from "../player/dom.js";
import { openPanel } from "../player/page.js";
import { fillText } from "../player/words.js";

/** @import { Actions, Chapter, Lesson, Stop, Tab } from "./types.js" */
/** @import { LearnKey } from "../shared/keys.js" */

/** @type {Omit<Lesson, "page">} */
export const LESSON = /** @type {any} */ ({}); // until `setLesson`

/** @type {Record<LearnKey, string>} */
export const PAGE = /** @type {any} */ ({});

/** @param {Lesson} lesson */
export function setLesson({ page, ...lesson }) {
  Object.assign(LESSON, lesson);
  Object.assign(PAGE, page);
}

/** Where one goes from a chapter: the chapter beside it, or in a lesson the stop beside it. Null at an end.
 * @param {Pick<Tab, "lesson" | "chapter">} tab @param {1 | -1} way
 * @returns {{ chapter: number | null, title: string } | null} `chapter`: null for the room */
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
const stopText = ({ from, until, what }) => fillText(PAGE.stop, { from, until, what });

/** The room is a panel of the Lab. @param {boolean} projected */
export function openRoom(projected) {
  if (projected) writeTabStored("projector", "lab");
  openPanel({ lab: "classroom", lab_who: "room" });
}

const WINDOW_FEATURES = "popup,width=560,height=720";

/** @param {Actions} act */
export function makeNotes(act) {
  /** @type {Window | null} */
  let notesWindow = null;
  addEventListener("pagehide", () => {
    if (notesWindow?.closed === false) query(notesWindow.document, ".lrn-orphan").hidden = false;
  });
  const isOpen = () => notesWindow?.closed === false;
  return {
    isOpen,
    /** Open it, or bring it to the front; false where the browser does not let it open.
     * @param {number} n @param {boolean} lesson */
    open(n, lesson) {
      if (!isOpen()) notesWindow = window.open("", "specviz-notes", WINDOW_FEATURES);
      if (!notesWindow) return false;
      if (!notesWindow.document.querySelector(".lrn-notes")) initWindow(notesWindow, act);
      writeNotes(notesWindow, n, lesson);
      notesWindow.focus();
      writeTabStored("notes", true);
      return true;
    },
    /** After a reload the window is still there: it is found by its name, and hears of this page from now on.
     * @param {number} n @param {boolean} lesson */
    reopen(n, lesson) {
      if (!readTabStored("notes")) return;
      notesWindow = window.open("", "specviz-notes", WINDOW_FEATURES);
      if (!notesWindow?.document.querySelector(".lrn-notes")) return this.close(); // it is new: the old one was closed
      initWindow(notesWindow, act);
      writeNotes(notesWindow, n, lesson);
    },
    /** @param {number} n @param {boolean} lesson */
    update(n, lesson) {
      if (notesWindow?.closed === false) writeNotes(notesWindow, n, lesson);
    },
    /** The room is a stop without a chapter: what comes after it is not said yet. */
    updateForRoom() {
      if (notesWindow?.closed !== false) return;
      const stops = LESSON.path.filter(({ chapter }) => chapter === null);
      fillNotes(notesWindow, PAGE.room, [section(PAGE.notes_now, stops.map(stopText))]);
    },
    close() {
      notesWindow?.close();
      notesWindow = null;
      writeTabStored("notes", null);
    },
  };
}

/** The window looks as the page does, and turns its chapters with the same keys.
 * @param {Window} notesWindow @param {Actions} act */
function initWindow({ document: other }, act) {
  other.documentElement.lang = document.documentElement.lang;
  const styles = [...document.head.querySelectorAll("style")].map((style) => style.cloneNode(true));
  other.head.replaceChildren(...styles);
  other.title = PAGE.notes_title;
  other.body.className = document.body.className; // light or dark
  other.body.replaceChildren(el("main.lrn-notes", { id: "learn" }));
  other.onkeydown = ({ key }) => {
    if (key === "ArrowRight") act.turnBy(1);
    if (key === "ArrowLeft") act.turnBy(-1);
  };
}

/** @param {Window} notesWindow @param {number} n @param {boolean} lesson */
function writeNotes(notesWindow, n, lesson) {
  const at = lesson ? LESSON.path.findIndex((stop) => stop.chapter === n) : -1;
  const now = at < 0 ? [] : [LESSON.path[at], ...LESSON.path.slice(at + 1, at + 2).filter((stop) => stop.chapter === null)];
  const chapter = LESSON.chapters[n];
  fillNotes(notesWindow, `${n + 1} · ${chapter.title}`, [
    ...(now.length ? [section(PAGE.notes_now, now.map(stopText))] : []),
    section(PAGE.notes_say, chapter.notes),
    section(PAGE.notes_answer, [answerOf(chapter)]),
    section(PAGE.exercise, chapter.exercise.task),
    section(PAGE.notes_key, chapter.exercise.key),
    section(PAGE.notes_able, chapter.exercise.able),
  ]);
}

/** @param {Window} notesWindow @param {string} title @param {HTMLElement[]} sections */
function fillNotes({ document: other }, title, sections) {
  other
    .querySelector(".lrn-notes")
    ?.replaceChildren(
      el("p.lrn-orphan", { role: "alert", hidden: "" }, PAGE.notes_alone),
      el("h2", null, title),
      ...sections,
      el("p.sv-note", null, PAGE.notes_keys),
    );
}

/** @param {Chapter} chapter */
function answerOf({ question }) {
  return "choices" in question ? `${question.choices[question.right]}. ${question.why}` : question.why;
}

/** @param {string} word @param {string[]} sentences */
function section(word, sentences) {
  const list = el("ul", null, ...sentences.map((sentence) => el("li", null, sentence)));
  return el("section", null, el("h3", null, word), list);
}
