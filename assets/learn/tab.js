// The tab Learn: what it is mounted with, the one state of what it shows, and what a visitor can do in it.

import { el, the, whileHere } from "../shared/dom.js";
import { still } from "../shared/motion.js";
import { asked, keepAddress } from "./address.js";
import { drawChapter } from "./chapter.js";
import { project, toggleNotes } from "./chapters.js";
import { onKey } from "./keys.js";
import { LESSON, PAGE, teach } from "./lesson.js";

/** @import { Actions, LearnMount, Passes, Tab } from "./types.js" */

/** @param {LearnMount} mount */
export function learn(mount) {
  teach(mount.props.lesson);
  const tab = makeTab(mount);
  const act = actions(tab, mount);
  tab.root.replaceChildren(el("p.lrn-note", { role: "status" }, PAGE.loading));
  mount.watch("value", () => tab.stage.passes.changed());
  whileHere(tab.root, window, "keydown", (event) => onKey(event, tab, act), true);
  new ResizeObserver(() => see(tab)).observe(tab.root);
  mount.server
    .recorded_rounds("")
    .then((text) => {
      tab.excerpts = JSON.parse(text);
      act.open(asked(location.search, LESSON.chapters.length) ?? 0);
    })
    .catch((error) => {
      console.warn(error);
      tab.root.replaceChildren(el("p.lrn-note", { role: "alert" }, PAGE.lost));
    });
}

/** @param {LearnMount} mount @returns {Tab} */
function makeTab({ element, props, measure }) {
  /** @type {Passes} */
  const passes = {
    found: () => (props.value ? JSON.parse(props.value) : null),
    measure: props.measures ? measure : null,
    changed: () => {},
  };
  const stage = { player: null, passes };
  return { root: the(element, ".lrn"), excerpts: null, chapter: 0, seen: false, answers: new Map(), stage };
}

/** @param {Tab} tab @param {LearnMount} mount @returns {Actions} */
function actions(tab, { tryIt }) {
  const { root, stage } = tab;
  /** @type {Actions} */
  const act = {
    open(n) {
      if (!tab.excerpts) return;
      stage.player?.clock.pause();
      tab.chapter = n;
      drawChapter(tab, tab.excerpts, act);
      keepAddress(n);
      const clock = stage.player?.clock;
      clock?.seek(still() ? clock.duration : 0);
      if (!still()) clock?.play();
    },
    // Those who listen hear the title of the chapter that was turned to.
    turn(n) {
      if (!LESSON.chapters[n]) return;
      act.open(n);
      the(root, "#lrn-title").focus({ preventScroll: true });
    },
    project: (on) => project(root, act, on),
    notes: () => toggleNotes(root, act),
    tryIt() {
      project(root, act, false);
      tryIt(tab.chapter + 1);
    },
  };
  return act;
}

/** The address names a chapter while one is on the screen; a hidden picture rests. @param {Tab} tab */
function see(tab) {
  const there = tab.root.offsetWidth > 0;
  if (there === tab.seen) return;
  tab.seen = there;
  if (tab.excerpts) keepAddress(there ? tab.chapter : null);
  if (!there) tab.stage.player?.clock.pause();
}
