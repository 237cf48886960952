// The tab Learn: what it is mounted with, the one state of what it shows, and what a visitor can do in it.

import { makeRoom } from "../poll/room.js";
import { el, query, whileHere } from "../shared/dom.js";
import { still } from "../shared/motion.js";
import { readTabStored, writeTabStored } from "../shared/store.js";
import { isOpen, openTab, tabOf } from "../shared/tabs.js";
import { addressChapter, keepAddress } from "./address.js";
import { keptAnswers } from "./answers.js";
import { drawChapter } from "./chapter.js";
import { project, toggle } from "./chapters.js";
import { ending } from "./ending.js";
import { onKey } from "./keys.js";
import { LESSON, PAGE, setLesson } from "./lesson.js";
import { makeNotes } from "./notes.js";
import { makePasses } from "./passes.js";
import { afterRoom, neighbour, openRoom } from "./path.js";
import { study } from "./study.js";

export { setVocabulary } from "../shared/words.js";

/** @import { Actions, LearnMount, Tab } from "./types.js" */

/** @param {LearnMount} mount */
export function learn(mount) {
  setLesson(mount.props.lesson);
  const tab = makeTab(mount);
  const { act, notes } = actions(tab, mount);
  tab.root.replaceChildren(el("p.sv-note", { role: "status" }, PAGE.loading));
  mount.watch("value", () => tab.stage.passes.changed());
  const keyed = (/** @type {KeyboardEvent} */ event) => {
    see(tab); // a key may come before the observer has looked
    onKey(event, tab, act);
  };
  whileHere(tab.root, window, "keydown", keyed, true);
  whileHere(tab.root, window, "popstate", () => goBack(tab, act));
  new ResizeObserver(() => see(tab)).observe(tab.root);
  mount.server
    .recorded_rounds("")
    .then((text) => {
      tab.excerpts = JSON.parse(text);
      tab.stage.passes.recorded = tab.excerpts?.alone.recorded ?? [];
      act.open(addressChapter(location.search, LESSON.chapters.length) ?? was());
      if (readTabStored("projector") === "learn" && isOpen("learn-tab")) act.project(true); // before a reload it was
      notes.again(tab.chapter, tab.lesson);
    })
    .catch((error) => {
      console.warn(error);
      tab.root.replaceChildren(el("p.sv-note", { role: "alert" }, PAGE.lost));
    });
}

/** @param {LearnMount} mount @returns {Tab} */
function makeTab(mount) {
  const { server } = mount;
  const drafting = mount.drafting ?? (server.score ? { begin: server.begin, score: server.score } : null);
  const stage = { player: null, passes: makePasses(mount), room: makeRoom(server, PAGE), drafting };
  const root = query(mount.element, ".lrn");
  const lesson = readTabStored("lesson") === true && LESSON.path.length > 0;
  return { root, excerpts: null, chapter: 0, lesson, seen: false, answers: keptAnswers(), stage };
}

/** @param {Tab} tab @param {LearnMount} mount */
function actions(tab, mount) {
  const { root, stage } = tab;
  /** @type {Actions} */
  const act = {
    open(n) {
      if (!tab.excerpts) return;
      stage.player?.clock.pause();
      tab.chapter = n;
      writeTabStored("chapter", n);
      drawChapter(tab, tab.excerpts, act);
      keepAddress(n);
      notes.follow(n, tab.lesson);
      const clock = stage.player?.clock;
      clock?.seek(still() ? clock.duration : 0); // it plays when it is asked to: first there is something to read
    },
    // Those who listen hear the title of the chapter that was turned to.
    turn(n) {
      if (!LESSON.chapters[n]) return;
      act.open(n);
      query(root, "#lrn-title").focus({ preventScroll: true });
    },
    turnBy(way) {
      const there = neighbour(tab, way);
      if (there) there.chapter === null ? act.room() : act.turn(there.chapter);
    },
    room() {
      const next = afterRoom();
      if (next !== null) act.open(next); // where one goes on after it
      const projected = root.hasAttribute("data-projector");
      project(tab, act, false);
      openRoom(projected);
    },
    teach(on) {
      tab.lesson = on;
      writeTabStored("lesson", on);
      const first = LESSON.path.find(({ chapter }) => chapter !== null)?.chapter ?? 0;
      const there = LESSON.path.some(({ chapter }) => chapter === tab.chapter);
      act.open(on && !there ? first : tab.chapter);
      query(root, ".lrn-teach button").focus({ preventScroll: true });
    },
    project: (on) => project(tab, act, on),
    notes() {
      if (notes.open()) notes.close();
      else root.dataset.unopened = notes.show(tab.chapter, tab.lesson) ? "" : "notes";
      toggle(tab, act);
    },
    async print(what) {
      root.dataset.unopened = await openPack(mount.server[what](""));
      toggle(tab, act);
    },
    finish: () => ending(root),
    study: mount.server.sheets_of_the_study
      ? () => study(root, stage.room, () => act.print("sheets_of_the_study"))
      : null,
    tryIt() {
      project(tab, act, false);
      mount.tryIt(tab.chapter + 1);
    },
  };
  const notes = makeNotes(act);
  tab.stage.room.look();
  return { act, notes };
}

/** The chapter of before a reload, where the address names another tab. */
function was() {
  const chapter = readTabStored("chapter");
  return LESSON.chapters[chapter] ? chapter : 0;
}

/** Back and forward go through chapters and tabs, as the address says. @param {Tab} tab @param {Actions} act */
function goBack(tab, act) {
  const chapter = addressChapter(location.search, LESSON.chapters.length);
  if (chapter === null) {
    if (tab.root.hasAttribute("data-projector")) project(tab, act, false);
    if (tabOf(location.search) === "watch") openTab("watch");
    return;
  }
  if (chapter !== tab.chapter) act.open(chapter);
  openTab("learn-tab");
}

/** The address names a chapter while one is on the screen; a hidden picture rests. @param {Tab} tab */
function see(tab) {
  const there = tab.root.offsetWidth > 0;
  if (there === tab.seen) return;
  tab.seen = there;
  if (tab.excerpts && (there || isOpen("watch"))) keepAddress(there ? tab.chapter : null);
  if (!there) tab.stage.player?.clock.pause();
}

/**
 * The teacher's pack in a tab of its own, from where it is printed: a page without scripts. The tab is opened at once,
 * by the hand that asked, since a browser blocks what opens later; it is filled when the page has come, and closed if
 * none does.
 * @param {Promise<string>} coming the page, or its address
 * @returns {Promise<"" | "pack" | "lost">} what went wrong: no tab may open, no page came
 */
async function openPack(coming) {
  const opened = window.open("", "_blank");
  try {
    const page = await coming;
    if (!opened) return "pack";
    const made = () => URL.createObjectURL(new Blob([page], { type: "text/html" }));
    opened.location.replace(page.startsWith("<") ? made() : page);
    return "";
  } catch (error) {
    console.warn(error);
    opened?.close();
    return "lost";
  }
}
