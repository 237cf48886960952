// The bar above a chapter: all chapters or the stops of the lesson, the teacher's notes, the projector.

import { button, redraw } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { navItem } from "../shared/nav.js";
import { writeTabStored } from "../shared/store.js";
import { LESSON, PAGE } from "./lesson.js";

/** @import { Actions, Tab } from "./types.js" */

/** @param {Tab} tab @param {Actions} act */
export function chapterBar(tab, act) {
  const shown = tab.lesson ? LESSON.path.map(({ chapter }) => chapter) : LESSON.chapters.map((_, i) => i);
  const items = shown.map((i, place) => {
    if (i === null) return navItem("✎", PAGE.room, PAGE.room, false, act.room);
    const { short, title } = LESSON.chapters[i];
    return navItem(String(i + 1), short, title, i === tab.chapter, () => {
      act.open(i);
      query(tab.root, `.lrn-chapters li:nth-child(${place + 1}) button`).focus({ preventScroll: true });
    });
  });
  return el(
    "nav.sv-nav.sv-flow.sv-ends",
    { "aria-label": PAGE.chapters },
    el("ol.lrn-chapters", null, items),
    toggles(tab, act),
  );
}

/** The projector is on or off as the root says. @param {Tab} tab @param {Actions} act */
function toggles({ root, lesson }, act) {
  const projecting = root.hasAttribute("data-projector");
  const notes = button(PAGE.notes, act.notes, { title: PAGE.notes_where });
  const word = projecting ? PAGE.leave_projector : PAGE.projector;
  const projector = button(word, () => act.project(!projecting), { "aria-pressed": String(projecting) });
  const why = { notes: PAGE.notes_blocked, pack: PAGE.pack_blocked, lost: PAGE.lost }[root.dataset.unopened ?? ""];
  const unopened = why ? el("p.sv-note", { role: "alert" }, why) : null;
  const path = { "aria-pressed": String(lesson), title: PAGE.lesson_what };
  const walk = LESSON.path.length ? button(PAGE.lesson, () => act.teach(!lesson), path) : null;
  const study = lesson && act.study ? button(PAGE.study, act.study, { title: PAGE.study_what }) : null;
  const teach = fold("teach", "lrn-teach", PAGE.teach, [el("div.sv-flow", null, walk, study, notes, projector)]);
  teach.open ||= projecting; // the way back
  return el("div.lrn-toggles.sv-flow", null, unopened, teach);
}

/** @param {Tab} tab @param {Actions} act @param {boolean} on */
export function project(tab, act, on) {
  const { root } = tab;
  root.toggleAttribute("data-projector", on);
  writeTabStored("projector", on ? "learn" : null);
  document.body.toggleAttribute("data-lrn-projector", on);
  toggle(tab, act);
}

/** The toggles again, as things are now. @param {Tab} tab @param {Actions} act */
export function toggle(tab, act) {
  redraw(tab.root, () => query(tab.root, ".lrn-toggles").replaceWith(toggles(tab, act)));
}
