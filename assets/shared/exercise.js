// What a class does with a chapter or a panel: tasks, and their answers, which are hidden until they are asked for.

import { el } from "./dom.js";
import { explain } from "./glossary.js";

/** @param {{ task: string[], key: string[] }} lines @param {string} word @param {string} answers what opens the key */
export function exercise({ task, key }, word, answers) {
  const inside = lazyDetails("details.sv-answers", answers, () => [list(key)]);
  return lazyDetails("details.sv-exercise", word, () => [list(task), inside]);
}

/** @param {string[]} lines */
const list = (lines) => el("ol", null, ...lines.map((line) => el("li", null, explain(line))));

/**
 * What is in it is not on the page before somebody opens it: a projector shows the page to all.
 * @param {"details.sv-exercise" | "details.sv-answers"} kind @param {string} word @param {() => Node[]} content
 */
function lazyDetails(kind, word, content) {
  const box = el(kind, null, el("summary", null, word));
  box.addEventListener("toggle", () => box.childElementCount === 1 && box.append(...content()));
  return box;
}
