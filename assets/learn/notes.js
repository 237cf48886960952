// The teacher's notes, in a window of their own beside the projected one: they follow the chapter that is shown.

import { el, query } from "../shared/dom.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { LESSON, PAGE } from "./lesson.js";
import { stopText } from "./path.js";

/** @import { Actions, Chapter } from "./types.js" */

const WINDOW = "popup,width=560,height=720";

/** @param {Actions} act */
export function makeNotes(act) {
  /** @type {Window | null} */
  let shown = null;
  addEventListener("pagehide", () => {
    if (there()) query(/** @type {Window} */ (shown).document, ".lrn-orphan").hidden = false;
  });
  const there = () => shown !== null && !shown.closed;
  return {
    open: there,
    /**
     * Open it, or bring it to the front; false where the browser does not let it open.
     * @param {number} n @param {boolean} lesson
     */
    show(n, lesson) {
      if (!there()) shown = window.open("", "specviz-notes", WINDOW);
      if (!shown) return false;
      if (!shown.document.querySelector(".lrn-notes")) begin(shown, act);
      write(shown, n, lesson);
      shown.focus();
      writeTabStored("notes", true);
      return true;
    },
    /**
     * After a reload the window is still there: it is found by its name, and hears of this page from now on.
     * @param {number} n @param {boolean} lesson
     */
    again(n, lesson) {
      if (!readTabStored("notes")) return;
      shown = window.open("", "specviz-notes", WINDOW);
      if (!shown?.document.querySelector(".lrn-notes")) {
        shown?.close(); // a new one: the old one was closed meanwhile
        shown = null;
        return writeTabStored("notes", null);
      }
      begin(shown, act);
      write(shown, n, lesson);
    },
    /** @param {number} n @param {boolean} lesson */
    follow(n, lesson) {
      if (there() && shown) write(shown, n, lesson);
    },
    close() {
      if (there()) shown?.close();
      shown = null;
      writeTabStored("notes", null);
    },
  };
}

/**
 * The window looks as the page does, and turns its chapters with the same keys.
 * @param {Window} shown @param {Actions} act
 */
function begin({ document: other }, act) {
  other.documentElement.lang = "en";
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

/** @param {Window} shown @param {number} n @param {boolean} lesson */
function write({ document: other }, n, lesson) {
  const at = lesson ? LESSON.path.findIndex((stop) => stop.chapter === n) : -1;
  const now =
    at < 0 ? [] : [LESSON.path[at], ...LESSON.path.slice(at + 1, at + 2).filter((stop) => stop.chapter === null)];
  const chapter = LESSON.chapters[n];
  const box = other.querySelector(".lrn-notes");
  box?.replaceChildren(
    el("p.lrn-orphan", { role: "alert", hidden: "" }, PAGE.notes_alone),
    el("h2", null, `${n + 1} · ${chapter.title}`),
    ...(now.length ? [part(PAGE.notes_now, now.map(stopText))] : []),
    part(PAGE.notes_say, chapter.notes),
    part(PAGE.notes_answer, [answerOf(chapter)]),
    part(PAGE.notes_exercise, chapter.exercise.task),
    part(PAGE.notes_key, chapter.exercise.key),
    part(PAGE.notes_able, chapter.exercise.able),
    el("p.sv-note", null, PAGE.notes_keys),
  );
}

/** @param {Chapter} chapter */
function answerOf({ question }) {
  return "choices" in question ? `${question.choices[question.right]}. ${question.why}` : question.why;
}

/** @param {string} word @param {string[]} sentences */
function part(word, sentences) {
  const list = el("ul", null, ...sentences.map((sentence) => el("li", null, sentence)));
  return el("section", null, el("h3", null, word), list);
}
