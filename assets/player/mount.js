// The race as a component of the page: what Python sends is shown, and what becomes of Run is heard of. And the doors of
// Learn and of the Lab, the place in Watch of a record of another engine, the files of a run: all else of them comes when
// it is first asked for.

import { el, query, readTabStored, setText, visible, whileHere, within } from "./dom.js";
import { BUSY, currentRun, loadBundle, openTab, tabOf } from "./page.js";
import { readPicture } from "./picture.js";
import { bringIntoView, makeRace, openRun, showRun } from "./race.js";
import { closeInspection, setProjecting } from "./selection.js";
import { clipText } from "./tokens.js";
import { ROLES, TERMS, WORDS, wordOf } from "./words.js";

/** @import { FrameMount, Lab, PanelMount } from "../lab/types.js" */
/** @import { DoorMount } from "../learn/types.js" */
/** @import { RecordMount, RecordPlace } from "../record/types.js" */
/** @import { LiveLane, LiveTokens, Mount, Race, RaceEvents } from "../shared/types.js" */

/** What the status line is at where a run came to nothing; “closing” also of one that came to something. */
const FAILED = ["error", "never", "closing", "lost"];
const OTHERS = ["closing", "lost"]; // of which also hears who asked for no run

/** @param {Mount} mount @param {RaceEvents} on what stands around it on a page
 * @param {Parameters<typeof makeRace>[1]} inspection */
export function race({ element, props, watch }, on, inspection) {
  const own = makeRace(element, inspection);
  const readValue = (/** @type {boolean} */ arrived) => {
    currentRun.payload = props.value;
    currentRun.picture = props.value ? readPicture(props.value) : null;
    if (currentRun.picture) {
      own.timeline.draw(currentRun.picture.lanes);
      if (arrived) on.request(own);
      if (arrived) showRun(own, currentRun.picture, true);
      else openRun(own, currentRun.picture);
      on.draw(own, currentRun.picture);
      return arrived || on.open(own, currentRun.picture);
    }
    invite(own);
  };
  listenToButtons(own);
  whileHere(element, document, "keydown", leaveList, true);
  whileHere(element, document, "specviz:status", (event) => {
    if (BUSY.includes(event.detail)) on.request(own);
    onStatus(own, event.detail);
  });
  // another tab hears of Back and Forward once it was open
  whileHere(element, window, "popstate", () => openTab(tabOf(location.search)));
  whileHere(element, document, "specviz:live", (event) => drawLive(own, event.detail));
  watch("value", () => readValue(true));
  readValue(false);
  const projects = readTabStored("projector") === "watch" && tabOf(location.search) === "watch";
  if (projects && currentRun.picture) setProjecting(own, true); // before a reload it was
}

/** A run that failed leaves the one before it on the page: still there to read, but plainly not the answer.
 * @param {Race} race @param {string} status */
function onStatus(race, status) {
  const { root, stage, state } = race;
  const hasFailed = FAILED.includes(status) && (!OTHERS.includes(status) || race.live !== null);
  if (hasFailed) endLive(race);
  if (race.live) return;
  if (!state) return setText(query(stage, ".sv-invitation"), BUSY.includes(status) ? WORDS.under_way : WORDS.empty);
  if (status === "idle") delete root.dataset.earlier;
  if (!hasFailed) return;
  state.clock.pause();
  root.dataset.earlier = "";
}

/** What was drawn live and came to nothing gives way to what stood there before. @param {Race} race */
function endLive(race) {
  if (race.live) race.stage.replaceChildren(...race.live.before);
  race.live = null;
  delete race.root.dataset.live;
  if (!race.state) race.root.dataset.empty = "";
}

/** Where no run is, a sentence says how one is had. @param {Race} race */
function invite(race) {
  race.state?.clock.pause();
  race.state = race.screen = null;
  race.root.dataset.empty = "";
  race.stage.replaceChildren(el("p.sv-invitation", null, WORDS.empty));
}

/** @param {string} name @returns {HTMLButtonElement | null} */
const button = (name) => document.querySelector(name);

/** Run and Stop, which stand elsewhere on the page: what the race has to do with them. @param {Race} race */
function listenToButtons(race) {
  // A replay costs the machine that is about to be timed.
  whileHere(race.root, document, "click", (event) => {
    if (!within(event, "#run")) return;
    if (race.root.hasAttribute("data-fits")) closeInspection(race); // it lies over a lane
    race.live ||= makeLiveLanes(race); // the server's word of it may take a second
    bringIntoView(query(race.stage, ".sv-lanes"));
  });
  whileHere(race.root, document, "keydown", (event) => {
    // with Shift it begins a line; an input method takes it for a word
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !within(event, "#prompt textarea")) return;
    const run = button("#run");
    if (run && !run.disabled) run.click();
    event.preventDefault();
  });
}

/**
 * Run and Stop take turns in being disabled; the one that was pressed hands its focus to the other.
 * @param {boolean} isRunning a run begins, or has ended
 */
export function setRunning(isRunning) {
  const [run, stop] = [button("#run"), button("#stop")];
  const [from, to] = isRunning ? [run, stop] : [stop, run];
  if (to) to.disabled = false;
  if (document.activeElement === from) to?.focus({ preventScroll: true });
  if (from) from.disabled = true;
  return [enabled(!isRunning), enabled(isRunning)]; // gradio's own word of both
}

/** Stop ends the reading of a file, too, and stays for a run. */
export function stopUpdate(isOn = button("#run")?.disabled === true) {
  if (!isOn && document.activeElement === button("#stop")) button("#run")?.focus({ preventScroll: true });
  return enabled(isOn);
}

/** @param {boolean} interactive */
const enabled = (interactive) => ({ __type__: "update", interactive });

/**
 * Tab, with Shift or without, leaves a list of gradio closed: gradio takes each for a letter and opens the list again,
 * and a list that scrolls takes the focus, which closes it.
 * @param {KeyboardEvent} event
 */
function leaveList(event) {
  if (!/Tab|Shift/.test(event.key) || !within(event, "[role=combobox]")) return;
  event.stopPropagation();
  for (const list of document.querySelectorAll("[role=listbox]")) list.setAttribute("tabindex", "-1");
}

/** @param {Race} race @param {LiveTokens} lanes */
function drawLive(race, lanes) {
  race.live ||= makeLiveLanes(race);
  for (const [name, { from, spans }] of Object.entries(lanes)) addSpans(race.live.lanes[name], from, spans);
}

/** Both lanes with nothing but the prompt. @param {Race} race */
function makeLiveLanes(race) {
  race.state?.clock.pause();
  const before = [...race.stage.childNodes];
  const lanes = { vanilla: makeLane("vanilla"), speculative: makeLane("speculative") };
  const heading = el("h2.sv-unseen", null, WORDS.race);
  race.stage.replaceChildren(heading, el("div.sv-lanes", null, lanes.vanilla.root, lanes.speculative.root));
  race.root.dataset.live = "";
  delete race.root.dataset.empty;
  delete race.root.dataset.earlier;
  return { lanes, before };
}

/** @param {string} name @returns {LiveLane} */
function makeLane(name) {
  const field = /** @type {HTMLTextAreaElement | null} */ (document.querySelector("#prompt textarea"));
  const prompt = el("span.sv-token", { "data-role": "prompt", "data-final": "prompt" }, field?.value);
  const text = el("div.sv-text", { role: "group", "aria-label": wordOf(name) }, prompt);
  const head = el("header.sv-lane-head.sv-flow", null, el("h3", null, wordOf(name)), el("p.sv-note", null, WORDS.live));
  return { root: el("article.sv-lane", { "data-lane": name }, head, text), text, spanCount: 0 };
}

/** @param {LiveLane} lane @param {number} from @param {LiveTokens[string]["spans"]} spans */
function addSpans(lane, from, spans) {
  if (from > lane.spanCount) lane.text.append(WORDS.none); // more came at once than is told in one line
  for (const [role, text] of spans.slice(Math.max(0, lane.spanCount - from))) {
    if (role === "prompt") {
      lane.text.append(el("br")); // an answer begins on a line of its own
      continue;
    }
    const gap = /^ (?=\S)/.test(text) ? 1 : 0;
    const looks = { "data-role": role, "data-final": role, "data-glyph": ROLES[role].glyph };
    lane.text.append(text.slice(0, gap), el("span.sv-token", looks, visible(clipText(text.slice(gap)))));
    if (role !== "rejected" && role !== "unexamined" && text.includes("\n")) lane.text.append(el("br"));
  }
  lane.spanCount = Math.max(lane.spanCount, from + spans.length);
  lane.text.scrollTop = lane.text.scrollHeight;
}

// What comes when it is first asked for.

/** @param {DoorMount} mount */
export async function learn(mount) {
  const { element, props, server } = mount;
  const root = query(element, ".lrn");
  root.textContent = props.opening;
  try {
    const { lesson, ...bundle } = JSON.parse(await server.everything(""));
    const late = loadBundle("specvizLearn", bundle);
    late.setVocabulary({ words: WORDS, roles: ROLES, terms: TERMS });
    const lateProps = {
      lesson,
      measures: props.measures,
      get value() {
        return props.value;
      },
    };
    await (props.alone ? late.lesson : late.learn)({ ...mount, props: lateProps });
  } catch (error) {
    console.warn(error);
    root.textContent = props.lost;
  }
}

/** @type {PanelMount[]} panels that were mounted before there was anything to draw them with */
const earlyMounts = [];
/** @type {Lab | null} */
let loadedLab = null;

/** @param {FrameMount} mount */
export async function lab(mount) {
  const root = /** @type {HTMLElement} */ (mount.element.querySelector(".lab"));
  root.textContent = mount.props.opening;
  try {
    const data = JSON.parse(await mount.server.everything(""));
    loadedLab = /** @type {Lab} */ (loadBundle("specvizLab", data));
    loadedLab.mountLab(root, data);
  } catch (error) {
    console.warn(error);
    root.textContent = mount.props.lost;
    return;
  }
  for (const mount of earlyMounts.splice(0)) loadedLab.addPanelMount(mount);
}

/** @param {PanelMount} mount */
export function labPanel(mount) {
  if (loadedLab) loadedLab.addPanelMount(mount);
  else earlyMounts.push(mount);
}

/** @param {RecordMount} mount */
export function record(mount) {
  const { element, props, watch, server } = mount;
  let place = /** @type {RecordPlace | null} */ (null);
  async function load() {
    if (place) return place;
    const { words, ...bundle } = JSON.parse(await server.everything(""));
    Object.assign(WORDS, words);
    place ??= /** @type {RecordPlace} */ (loadBundle("specvizRecord", bundle).place(mount));
    return place;
  }
  const paint = async () => {
    if (place || props.value) (await load()).paint();
  };
  watch("value", paint);
  whileHere(element, document, "click", async (event) => {
    if (within(event, "#counts")) (await load()).openForm();
  });
  paint();
}

/** @typedef {"png" | "csv"} Kind its timeline as a picture, its rounds as a table */

/** What is returned is what the status line says.
 * @param {Kind} kind @param {string} done it is saved @param {string} none there is no run to save
 * @param {string} lost the script does not come */
export async function saveRun(kind, done, none, lost) {
  const { picture, files } = currentRun;
  if (!picture) return none;
  try {
    loadBundle("specvizFiles", JSON.parse((await files?.("")) ?? "")).saveShownRun(kind);
    return done;
  } catch (error) {
    console.warn(error);
    return lost;
  }
}
