// What a class does with a chapter: tasks, and their answers, which are hidden until they are asked for.

import { el } from "../shared/dom.js";
import { explain } from "../shared/glossary.js";
import { PAGE } from "./lesson.js";

/** @import { Exercise } from "./types.js" */

/** @param {Exercise} exercise */
export function exercise({ task, key }) {
  const list = (/** @type {string[]} */ lines) =>
    el(
      "ol",
      null,
      lines.map((line) => el("li", null, explain(line))),
    );
  const answers = opening("lrn-answers", PAGE.show_answers, () => [list(key)]);
  return opening("lrn-exercise", PAGE.exercise, () => [list(task), answers]);
}

/**
 * What is in it is not on the page before somebody opens it: a projector shows the page to all.
 * @param {string} kind @param {string} word @param {() => Node[]} made
 */
function opening(kind, word, made) {
  const box = el(`details.${kind}`, null, el("summary", null, word));
  box.addEventListener("toggle", () => box.childElementCount === 1 && box.append(...made()));
  return box;
}
