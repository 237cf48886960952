// The tab Learn: what it is mounted with, the one state of what it shows, and what a visitor can do in it, by hand or by keys.

import { el, query, readStored, readTabStored, whileHere, within, writeStored, writeTabStored } from "../player/dom.js";
import { actOnKey, isOpen, keepAddress, onBarePage, openTab, tabOf } from "../player/page.js";
import { makeRoom } from "../poll/poll.js";
import { drawChapter, redrawToggles, setProjector } from "./chapter.js";
import { afterRoom, LESSON, makeNotes, neighbour, openRoom, PAGE, setLesson } from "./lesson.js";
import { openEnding } from "./question.js";

/** @import { Actions, LearnMount, Measurement, PassTimes, Tab } from "./types.js" */

export { setVocabulary } from "../player/words.js";

/** Keys work on the bare page and inside the tab, never behind a dialog, nor while something is pressed or moved with
 * them. Caught before the player of the other tab hears them.
 * @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act */
function onKey(event, tab, act) {
  if (!tab.visible || !tab.excerpts || tab.root.querySelector("dialog[open]")) return;
  const scrolling = onBarePage(event) && (event.key === "Home" || event.key === "End"); // they scroll the page
  if (scrolling) return event.stopImmediatePropagation();
  actOnKey(event, tab.root.contains(/** @type {Node} */ (event.target)), () => actionFor(event, tab, act));
}

/** What a key asks for, if anything. @param {KeyboardEvent} event @param {Tab} tab @param {Actions} act */
function actionFor(event, { root, stage: { player } }, act) {
  const inside = within(event, "input, select, textarea");
  const moving = inside || within(event, "[role=treeitem]"); // its own arrows come first
  const pressing = within(event, "button, a, input, summary");
  const projecting = root.hasAttribute("data-projector");
  const { key } = event;
  if (key === "ArrowRight" && !moving) return () => act.turnBy(1);
  if (key === "ArrowLeft" && !moving) return () => act.turnBy(-1);
  if (key === " " && !pressing && player) return player.clock.toggle;
  if (key === "," && !inside && player) return () => player.step(-1);
  if (key === "." && !inside && player) return () => player.step(1);
  if (key.toLowerCase() === "p" && !inside) return () => act.setProjector(!projecting);
  if (key.toLowerCase() === "n" && !inside) return act.toggleNotes;
  if (key === "Escape" && projecting) return () => act.setProjector(false);
  return null;
}

/**
 * `measurable`: here; else `showsRecorded`, once they are asked for. `asked`: a number was said, or a measurement asked for.
 * @param {LearnMount} mount
 */
export function makePasses({ props, measure }) {
  /** @type {Set<() => void>} */
  const listeners = new Set();
  const passes = {
    recorded: /** @type {PassTimes[]} */ ([]),
    measurable: props.measures,
    waiting: false,
    asked: false,
    showsRecorded: false,
    /** @returns {Measurement | null} */
    measurement: () => (props.value ? JSON.parse(props.value) : passes.showsRecorded ? (passes.recorded[0] ?? null) : null),
    requestMeasurement() {
      passes.asked = true;
      passes.waiting = props.measures;
      passes.showsRecorded = !props.measures;
      if (props.measures) measure();
      notify();
    },
    receiveMeasurement() {
      passes.waiting = false;
      notify();
    },
    /** @param {() => void} listener */
    onChange: (listener) => listeners.add(listener),
    clearListeners: () => listeners.clear(),
  };
  const notify = () => {
    for (const listener of listeners) listener();
  };
  return passes;
}

/** @param {LearnMount} mount */
export function learn(mount) {
  setLesson(mount.props.lesson);
  const tab = makeTab(mount);
  const { act, notes } = actions(tab, mount);
  tab.root.replaceChildren(el("p.sv-note", { role: "status" }, PAGE.loading));
  mount.watch("value", () => tab.stage.passes.receiveMeasurement());
  const onKeydown = (/** @type {KeyboardEvent} */ event) => {
    updateVisibility(tab, notes); // a key may come before the observer has looked
    onKey(event, tab, act);
  };
  whileHere(tab.root, window, "keydown", onKeydown, true);
  whileHere(tab.root, window, "popstate", () => onPopState(tab, act));
  new ResizeObserver(() => updateVisibility(tab, notes)).observe(tab.root);
  mount.server
    .recorded_rounds("")
    .then((text) => {
      tab.excerpts = JSON.parse(text);
      tab.stage.passes.recorded = tab.excerpts?.alone.recorded ?? [];
      tab.chapter = addressChapter(location.search, LESSON.chapters.length) ?? storedChapter();
      act.openChapter(tab.chapter);
      if (readTabStored("projector") === "learn" && isOpen("learn-tab")) act.setProjector(true); // as before a reload
      notes.reopen(tab.chapter, tab.lesson);
    })
    .catch((error) => {
      console.warn(error);
      tab.root.replaceChildren(el("p.sv-note", { role: "alert" }, PAGE.lost));
    });
}

/** One chapter, in an app of somebody else's. `props.value`: its number. @param {LearnMount} mount */
export async function lesson(mount) {
  setLesson(mount.props.lesson);
  const tab = makeTab({ ...mount, props: { ...mount.props, value: "" } }); // nothing is measured there
  tab.answers = new Map(); // nor kept
  const excerpts = JSON.parse(await mount.server.recorded_rounds(""));
  tab.stage.passes.recorded = excerpts.alone.recorded;
  const draw = () => {
    tab.stage.player?.clock.pause();
    tab.chapter = Number(mount.props.value) - 1;
    drawChapter(tab, excerpts, null);
  };
  mount.watch("value", draw);
  draw();
}

/** @param {LearnMount} mount @returns {Tab} */
function makeTab(mount) {
  const { server } = mount;
  const drafting = mount.drafting ?? (server.score ? { begin: server.begin, score: server.score } : null);
  const stage = { player: null, passes: makePasses(mount), room: makeRoom(server, PAGE), drafting };
  const root = query(mount.element, ".lrn");
  const lesson = readTabStored("lesson") === true && LESSON.path.length > 0;
  return { root, excerpts: null, chapter: 0, lesson, visible: false, answers: storedAnswers(), stage };
}

/** @param {Tab} tab @param {LearnMount} mount */
function actions(tab, mount) {
  const { root, stage } = tab;
  /** @type {Actions} */
  const act = {
    openChapter(n) {
      if (!tab.excerpts) return;
      stage.player?.clock.pause();
      if (n !== tab.chapter) stage.room.endQuestion(LESSON.chapters[n].key);
      tab.chapter = n;
      writeTabStored("chapter", n);
      drawChapter(tab, tab.excerpts, act);
      keepAddress({ chapter: String(n + 1) }); // a step that Back takes back
      notes.update(n, tab.lesson);
    },
    // Those who listen hear the title of the chapter that was turned to.
    turnTo(n) {
      if (!LESSON.chapters[n]) return;
      act.openChapter(n);
      query(root, "#lrn-title").focus({ preventScroll: true });
    },
    turnBy(way) {
      const next = neighbour(tab, way);
      if (next) next.chapter === null ? act.openRoom() : act.turnTo(next.chapter);
    },
    openRoom() {
      stage.room.endQuestion(); // the phones are to guess
      const next = afterRoom();
      if (next !== null) act.openChapter(next); // where one goes on after it
      const projected = root.hasAttribute("data-projector");
      setProjector(tab, act, false);
      notes.updateForRoom();
      openRoom(projected);
    },
    followLesson(on) {
      tab.lesson = on;
      writeTabStored("lesson", on);
      const first = LESSON.path.find(({ chapter }) => chapter !== null)?.chapter ?? 0;
      const onPath = LESSON.path.some(({ chapter }) => chapter === tab.chapter);
      act.openChapter(on && !onPath ? first : tab.chapter);
      query(root, ".lrn-teach button").focus({ preventScroll: true });
    },
    setProjector: (on) => setProjector(tab, act, on),
    toggleNotes() {
      if (notes.isOpen()) notes.close();
      else root.dataset.unopened = notes.open(tab.chapter, tab.lesson) ? "" : "notes";
      redrawToggles(tab, act);
    },
    async print(what) {
      root.dataset.unopened = await openPrintout(mount.server[what](""));
      redrawToggles(tab, act);
    },
    openEnding: () => openEnding(root),
    tryIt() {
      setProjector(tab, act, false);
      mount.tryIt(tab.chapter + 1);
    },
  };
  const notes = makeNotes(act);
  tab.stage.room.refresh();
  return { act, notes };
}

/** The chapter of before a reload, where the address names another tab. */
function storedChapter() {
  const chapter = readTabStored("chapter");
  return LESSON.chapters[chapter] ? chapter : 0;
}

/** Back and forward go through chapters and tabs, as the address says. @param {Tab} tab @param {Actions} act */
function onPopState(tab, act) {
  const chapter = addressChapter(location.search, LESSON.chapters.length);
  if (chapter === null) {
    if (tab.root.hasAttribute("data-projector")) setProjector(tab, act, false);
    if (tabOf(location.search) === "watch") openTab("watch");
    return;
  }
  if (chapter !== tab.chapter) act.openChapter(chapter);
  openTab("learn-tab");
}

/** The address and the notes name a chapter while one is on the screen; a hidden picture rests.
 * @param {Tab} tab @param {ReturnType<typeof makeNotes>} notes */
function updateVisibility(tab, notes) {
  const visible = tab.root.offsetWidth > 0;
  if (visible === tab.visible) return;
  tab.visible = visible;
  if (tab.excerpts && (visible || isOpen("watch"))) keepAddress(visible ? { chapter: String(tab.chapter + 1) } : {});
  if (visible) notes.update(tab.chapter, tab.lesson);
  else tab.stage.player?.clock.pause();
}

/** The teacher's pack in a tab of its own, from where it is printed: a page without scripts. The tab is opened at once,
 * by the hand that asked, since a browser blocks what opens later; it is filled when the page arrives, and closed if
 * none does.
 * @param {Promise<string>} printout the page, or its address
 * @returns {Promise<"" | "pack" | "lost">} what went wrong: no tab may open, no page came */
async function openPrintout(printout) {
  const printTab = window.open("", "_blank");
  try {
    const page = await printout;
    if (!printTab) return "pack";
    const blob = new Blob([page], { type: "text/html" });
    printTab.location.replace(page.startsWith("<") ? URL.createObjectURL(blob) : page);
    return "";
  } catch (error) {
    console.warn(error);
    printTab?.close();
    return "lost";
  }
}

/** The chapter that an address asks for, from 0; null if it asks for none.
 * @param {string} search @param {number} chapters how many there are */
export function addressChapter(search, chapters) {
  const n = new URLSearchParams(search).get("chapter") || "";
  return /^[1-9]\d?$/.test(n) && Number(n) <= chapters ? Number(n) - 1 : null;
}

/** What was answered or guessed, by chapter: this browser keeps it. @returns {Map<number, number>} */
function storedAnswers() {
  const stored = readStored("answers");
  const isPair = (/** @type {any} */ pair) => Array.isArray(pair) && pair.length === 2 && pair.every(Number.isFinite);
  const answers = new Map(Array.isArray(stored) ? stored.filter(isPair) : []);
  const setAnswer = answers.set.bind(answers);
  answers.set = (chapter, answer) => {
    setAnswer(chapter, answer);
    writeStored("answers", [...answers]);
    return answers;
  };
  document.addEventListener("specviz:forget", () => answers.clear());
  return answers;
}
