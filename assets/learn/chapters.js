// The bar above a chapter: all chapters or the stops of the lesson, the teacher's notes, the projector.

import { button, redraw } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fold } from "../shared/fold.js";
import { navItem } from "../shared/nav.js";
import { pageAddress } from "../shared/room.js";
import { writeTabStored } from "../shared/store.js";
import { LESSON, PAGE } from "./lesson.js";

/** @import { Actions, Tab } from "./types.js" */

/** @param {Tab} tab @param {Actions} act */
export function chapterBar(tab, act) {
  const stops = tab.lesson ? LESSON.path.map(({ chapter }) => chapter) : LESSON.chapters.map((_, i) => i);
  const items = stops.map((i, place) => {
    if (i === null) return navItem("✎", PAGE.room, PAGE.room, false, act.openRoom);
    const { short, title } = LESSON.chapters[i];
    return navItem(String(i + 1), short, title, i === tab.chapter, () => {
      act.openChapter(i);
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
  const notes = button(PAGE.notes, act.toggleNotes, { title: PAGE.notes_where });
  const word = projecting ? PAGE.leave_projector : PAGE.projector;
  const projector = button(word, () => act.setProjector(!projecting), { "aria-pressed": String(projecting) });
  const alert = { notes: PAGE.notes_blocked, pack: PAGE.pack_blocked, lost: PAGE.lost }[root.dataset.unopened ?? ""];
  const alertNote = alert ? el("p.sv-note", { role: "alert" }, alert) : null;
  const attributes = { "aria-pressed": String(lesson), title: PAGE.lesson_what };
  const path = LESSON.path.length ? button(PAGE.lesson, () => act.followLesson(!lesson), attributes) : null;
  const menu = fold("teach", "lrn-teach", PAGE.teach, [el("div.sv-flow", null, path, notes, projector)]);
  menu.open ||= projecting; // the way back
  const address = projecting ? el("span.sv-address", null, pageAddress()) : null;
  return el("div.lrn-toggles.sv-flow", null, alertNote, address, menu);
}

/** @param {Tab} tab @param {Actions} act @param {boolean} on */
export function setProjector(tab, act, on) {
  const { root } = tab;
  root.toggleAttribute("data-projector", on);
  writeTabStored("projector", on ? "learn" : null);
  document.body.toggleAttribute("data-lrn-projector", on);
  redrawToggles(tab, act);
}

/** The toggles again, as things are now. @param {Tab} tab @param {Actions} act */
export function redrawToggles(tab, act) {
  redraw(tab.root, () => query(tab.root, ".lrn-toggles").replaceWith(toggles(tab, act)));
}
