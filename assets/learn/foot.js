// Under a chapter: where to go from here, the chapters beside it and Watch with its settings, and what it is based on.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { glossary } from "../shared/glossary.js";
import { fillText } from "../shared/sentences.js";
import { openDialog } from "./dialog.js";
import { LESSON, PAGE } from "./lesson.js";
import { neighbour } from "./path.js";

/** @import { Values } from "../shared/sentences.js" */
/** @import { Actions, Chapter, Tab } from "./types.js" */

/** @param {Chapter} chapter @param {Tab} tab @param {Values} facts @param {Actions} act */
export function foot(chapter, tab, facts, act) {
  const go = button(PAGE.try, act.tryIt, { class: "lrn-try" });
  const sources = chapter.sources.map((name) => fillText(LESSON.sources[name], facts)).join(" · ");
  return el(
    "footer.lrn-foot",
    null,
    turn(["← ", PAGE.previous, ""], tab, -1, act),
    el("div.lrn-go.sv-flow", null, go, el("span", null, chapter.go)),
    neighbour(tab, 1) ? turn(["", PAGE.next, " →"], tab, 1, act) : finish(act),
    el(
      "div.lrn-base.sv-flow.sv-ends",
      null,
      el("p.lrn-sources", null, `${PAGE.sources}: `, sources),
      el("p.lrn-keys", null, PAGE.keys),
      button(PAGE.glossary, () => terms(tab.root), { class: "sv-link" }),
      button(PAGE.sheet, () => act.print("students_sheet"), { title: PAGE.sheet_what, class: "sv-link" }),
      button(PAGE.pack, () => act.print("teachers_pack"), { title: PAGE.pack_what, class: "sv-link" }),
    ),
  );
}

/** @param {Actions} act */
const finish = (act) => button([LESSON.ending.words.finish, " →"], act.finish, { class: "lrn-turn" });

/** @param {string[]} word @param {Tab} tab @param {1 | -1} way @param {Actions} act */
function turn(word, tab, way, act) {
  const there = neighbour(tab, way);
  const node = button(word, () => act.turnBy(way), { class: "lrn-turn", title: there ? there.title : null });
  node.disabled = !there;
  return node;
}

/** @param {HTMLElement} root */
const terms = (root) => openDialog(root, PAGE.glossary, glossary());
