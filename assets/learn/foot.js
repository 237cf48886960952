// Under a chapter: where to go from here, the chapters beside it and Watch with its settings, and what it is based on.

import { el } from "../shared/dom.js";
import { filled } from "../shared/sentences.js";
import { LESSON, PAGE } from "./lesson.js";

/** @import { Values } from "../shared/sentences.js" */
/** @import { Actions, Chapter } from "./types.js" */

/** @param {Chapter} chapter @param {number} n its place @param {Values} facts @param {Actions} act */
export function foot(chapter, n, facts, act) {
  const go = el("button.lrn-button.lrn-try", { type: "button" }, PAGE.try);
  go.addEventListener("click", act.tryIt);
  const sources = chapter.sources.map((name) => filled(LESSON.sources[name], facts)).join(" · ");
  return el(
    "footer.lrn-foot",
    null,
    turn(["← ", PAGE.previous, ""], n - 1, act),
    el("div.lrn-go", null, go, el("span", null, chapter.go)),
    turn(["", PAGE.next, " →"], n + 1, act),
    el(
      "div.lrn-base",
      null,
      el("p.lrn-sources", null, `${PAGE.sources}: `, sources),
      el("p.lrn-keys", null, PAGE.keys),
    ),
  );
}

/** @param {string[]} word @param {number} to @param {Actions} act */
function turn(word, to, act) {
  const there = LESSON.chapters[to];
  const button = el("button.lrn-button.lrn-turn", { type: "button", title: there ? there.title : null }, word);
  button.disabled = !there;
  button.addEventListener("click", () => act.turn(to));
  return button;
}
