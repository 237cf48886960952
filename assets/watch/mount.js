// The race as a component of the page: what Python sends is shown, and what becomes of Run is heard of.

import { readPicture } from "../picture/replay.js";
import { el, query, setText, whileHere, within } from "../shared/dom.js";
import { BUSY, currentRun } from "../shared/shown.js";
import { readTabStored } from "../shared/store.js";
import { openTab, tabOf } from "../shared/tabs.js";
import { WORDS } from "../shared/words.js";
import { drawLive } from "./live.js";
import { project } from "./projector.js";
import { makeRace, open, show } from "./race.js";
import { makeTimeline as plotted } from "./timeline.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Beside, Race } from "./types.js" */

/**
 * @param {Mount} mount @param {Parameters<typeof makeRace>[1]} makeTimeline Plotly's comes with the page of gradio
 * @param {Beside} beside what stands around it on a page @param {Parameters<typeof makeRace>[2]} inspection
 */
export function race({ element, props, watch }, makeTimeline = plotted, beside, inspection) {
  const own = makeRace(element, makeTimeline, inspection);
  const read = (/** @type {boolean} */ arrived) => {
    currentRun.sent = props.value;
    currentRun.picture = props.value ? readPicture(props.value) : null;
    if (currentRun.picture) {
      own.timeline.draw(currentRun.picture.lanes);
      if (arrived) beside.asked?.(own);
      if (arrived) show(own, currentRun.picture, true);
      else open(own, currentRun.picture);
      beside.drawn?.(own, currentRun.picture);
      return arrived || beside.opened?.(own, currentRun.picture);
    }
    element.dataset.empty = "";
    own.stage.replaceChildren(el("p.sv-invitation", null, WORDS.empty));
  };
  listenToButtons(own);
  whileHere(element, document, "specviz:status", (event) => {
    if (BUSY.includes(event.detail)) beside.asked?.(own);
    onStatus(own, event.detail);
  });
  // another tab hears of Back and Forward once it was open
  whileHere(element, window, "popstate", () => openTab(tabOf(location.search)));
  whileHere(element, document, "specviz:live", (event) => drawLive(own, event.detail));
  watch("value", () => read(true));
  read(false);
  if (readTabStored("projector") === "watch" && currentRun.picture) project(own, true); // before a reload it was
}

/**
 * A run that failed leaves the one before it on the page: still there to read, but plainly not the answer.
 * @param {Race} race @param {string} status
 */
function onStatus(race, status) {
  const { root, stage, state } = race;
  if (race.live && (status === "error" || status === "never")) endLive(race);
  if (race.live) return;
  if (!state) return setText(query(stage, ".sv-invitation"), BUSY.includes(status) ? WORDS.under_way : WORDS.empty);
  if (status === "idle") delete root.dataset.earlier;
  if (status !== "error" && status !== "never") return;
  state.clock.pause();
  root.dataset.earlier = "";
}

/** What was drawn live and came to nothing gives way to what stood there before. @param {Race} race */
function endLive(race) {
  race.live = null;
  delete race.root.dataset.live;
  if (race.state) show(race, race.state.picture);
  else {
    race.root.dataset.empty = "";
    race.stage.replaceChildren(el("p.sv-invitation", null, WORDS.empty));
  }
}

/** @param {string} name @returns {HTMLButtonElement | null} */
const button = (name) => document.querySelector(name);

/** Run and Stop, which stand elsewhere on the page: what the race has to do with them. @param {Race} race */
function listenToButtons(race) {
  // A replay costs the machine that is about to be timed.
  whileHere(race.root, document, "click", (event) => {
    if (within(event, "#run")) race.state?.clock.pause();
  });
  whileHere(race.root, document, "keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || !within(event, "#prompt")) return;
    const run = button("#run");
    if (run && !run.disabled) run.click();
    event.preventDefault();
  });
  takeTurns(race.root);
}

/**
 * Run and Stop take turns in being disabled; the one that was pressed hands its focus to the other.
 * @param {HTMLElement} root
 */
function takeTurns(root) {
  /** @type {EventTarget | null} */
  let focused = null;
  whileHere(root, document, "focusin", ({ target }) => {
    focused = target;
  });
  const disabled = new MutationObserver(() => {
    if (!root.isConnected) return disabled.disconnect();
    const run = button("#run");
    const stop = button("#stop");
    const { activeElement } = document;
    if (!run || !stop || (activeElement !== document.body && !activeElement?.matches(":disabled"))) return;
    if (focused === run && run.disabled && !stop.disabled) stop.focus({ preventScroll: true });
    else if (focused === stop && stop.disabled && !run.disabled) run.focus({ preventScroll: true });
  });
  disabled.observe(document.body, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
}
