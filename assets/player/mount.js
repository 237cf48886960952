// The race as a component of the page: what Python sends is shown, and what becomes of Run is heard of; and the status line.
// And the doors of Learn and of the Lab, the place in Watch of a record of another engine, the files of a run: all else of
// them comes when it is first asked for.

import { endStory, tellStory } from "../story/story.js";
import { clipText } from "../trace/events.js";
import {
  button,
  el,
  plainButton,
  query,
  readStored,
  readTabStored,
  setText,
  visible,
  whileHere,
  within,
  writeTabStored,
} from "./dom.js";
import { BUSY, currentRun, loadBundle, NO_SETTING, openTab, tabOf } from "./page.js";
import { readPicture } from "./picture.js";
import { bringIntoView, makeRace, openRun, showRun } from "./race.js";
import { closeInspection, hasStory, setProjecting } from "./selection.js";
import { fillText, ROLES, TERMS, WORDS, wordOf } from "./words.js";

/** @import { FrameMount, Lab, PanelMount } from "../lab/types.js" */
/** @import { DoorMount } from "../learn/types.js" */
/** @import { RecordMount, RecordPlace } from "../record/types.js" */
/** @import { Inspection, LiveLane, LiveTokens, LoadGame, MakeGame, Mount, Race, RaceEvents } from "../shared/types.js" */

/** What the status line is at where a run came to nothing; “closing” also of one that came to something. */
const FAILED = ["error", "never", "closing", "lost"];
const OTHERS = ["closing", "lost"]; // of which also hears who asked for no run

/** @typedef {"inspection" | "files" | "game" | "begin" | "score"} ServerCall */
/** @typedef {Record<ServerCall, (sent: object | string) => Promise<string>>} Server */

/** @param {Mount & { server?: Partial<Server> }} component @param {LoadGame | null} [loadGame] on a page without a
 * server @param {Parameters<typeof makeRace>[1]} [inspection] on a page that holds it */
export function race(component, loadGame = gameLoader(component.server), inspection = () => fetchInspection(component.server)) {
  const { element, props, server, watch } = component;
  const { alone } = /** @type {{ alone?: boolean }} */ (props); // in an app of somebody else's
  currentRun.files = server?.files;
  if (!alone) currentRun.plotly = "plotly.js";
  const on = alone ? null : storyEvents(loadGame);
  const own = makeRace(element, inspection);
  const readValue = (/** @type {boolean} */ arrived) => {
    currentRun.payload = props.value;
    currentRun.picture = props.value ? readPicture(props.value) : null;
    if (currentRun.picture) {
      own.timeline.draw(currentRun.picture.lanes);
      if (arrived) on?.request(own);
      if (arrived) showRun(own, currentRun.picture, true);
      else openRun(own, currentRun.picture);
      on?.draw(own, currentRun.picture);
      return arrived || on?.open(own, currentRun.picture);
    }
    invite(own);
  };
  listenToButtons(own);
  whileHere(element, document, "keydown", leaveList, true);
  whileHere(element, document, "specviz:status", (event) => {
    if (BUSY.includes(event.detail)) on?.request(own);
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

/** @param {Partial<Server>} [server] of gradio @returns {Promise<Inspection>} */
async function fetchInspection(server) {
  const bundle = JSON.parse((await server?.inspection?.("")) ?? "");
  return loadBundle("specvizInspection", bundle).inspection;
}

/** @param {Partial<Server>} [server] of gradio @returns {LoadGame | null} */
function gameLoader({ game, begin, score } = {}) {
  if (!game || !begin || !score) return null;
  return async () => {
    const { words, ...bundle } = JSON.parse(await game(""));
    const own = /** @type {{ makeGame: MakeGame }} */ (loadBundle("specvizPlay", bundle));
    return own.makeGame(words, { begin, score });
  };
}

/** Whether nobody asked for anything else, and it was not told in this browser. */
export const isFirstVisit = () =>
  readStored("story") === null &&
  tabOf(location.search) === "watch" &&
  [...new URLSearchParams(location.search).keys()].every((name) => NO_SETTING.test(name));

/** What becomes of the story as the race goes on: the page opens with it where nobody asked for anything else; a button
 * tells it again of the run that is shown, where it has one; it gives way to what was asked for.
 * @param {LoadGame | null} loadGame the game that follows it, where somebody scores what a visitor drafts
 * @returns {RaceEvents} */
const storyEvents = (loadGame) => ({
  open: (race, picture) => void (isFirstVisit() && tellStory(race, picture, loadGame)),
  draw(race, picture) {
    const tellAgain = () => tellStory(race, picture, loadGame);
    if (hasStory(picture)) race.screen?.bar.root.append(button(WORDS.story_plain, tellAgain, { class: "sv-link sv-again" }));
  },
  request: endStory,
});

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
const pageButton = (name) => document.querySelector(name);

/** Run and Stop, which stand elsewhere on the page: what the race has to do with them. @param {Race} race */
function listenToButtons(race) {
  // A replay costs the machine that is about to be timed.
  whileHere(race.root, document, "click", (event) => {
    if (!within(event, "#run")) return;
    race.fit(); // a chapter may have opened this tab just now
    if (race.root.hasAttribute("data-fits")) closeInspection(race); // it lies over a lane
    race.live ||= makeLiveLanes(race); // the server's word of it may take a second
    bringIntoView(query(race.stage, ".sv-lanes"));
  });
  whileHere(race.root, document, "keydown", (event) => {
    // with Shift it begins a line; an input method takes it for a word
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || !within(event, "#prompt textarea")) return;
    const run = pageButton("#run");
    if (run && !run.disabled) run.click();
    event.preventDefault();
  });
}

/**
 * Run and Stop take turns in being disabled; the one that was pressed hands its focus to the other.
 * @param {boolean} isRunning a run begins, or has ended
 */
export function setRunning(isRunning) {
  const [run, stop] = [pageButton("#run"), pageButton("#stop")];
  const [from, to] = isRunning ? [run, stop] : [stop, run];
  if (to) to.disabled = false;
  if (document.activeElement === from) to?.focus({ preventScroll: true });
  if (from) from.disabled = true;
  return [enabled(!isRunning), enabled(isRunning)]; // gradio's own word of both
}

/** Stop ends the reading of a file, too, and stays for a run. */
export function stopUpdate(isOn = pageButton("#run")?.disabled === true) {
  if (!isOn && document.activeElement === pageButton("#stop")) pageButton("#run")?.focus({ preventScroll: true });
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

/** @typedef {"run" | "handout" | "png" | "csv"} Kind as it is opened again, as a page, its timeline as a picture, its rounds as a
 * table */

/** @type {Promise<any> | undefined} asked for once */
let fileMaker;

/** What is returned is what the status line says.
 * @param {Kind} kind @param {string} done it is saved @param {string} none there is no run to save
 * @param {string} lost the script does not come */
export async function saveRun(kind, done, none, lost) {
  const { picture, files } = currentRun;
  if (!picture) return none;
  try {
    fileMaker ??= Promise.resolve(files?.("")).then((answer) => JSON.parse(answer ?? ""));
    const { script, ...more } = await fileMaker;
    await loadBundle("specvizFiles", { script }).saveShownRun(kind, more);
    return done;
  } catch (error) {
    fileMaker = undefined;
    console.warn(error);
    return lost;
  }
}

// One line: what the run does, how far it is, or what is wrong (specviz/page/status.py).

/**
 * `learn`: the words of a button that leads to Learn; `asked`: a length that the context has no room for.
 * `left`: seconds that the run may still take; `live`: what it has decoded so far. `before`: runs that come first, which take
 * about so many `seconds`. `run`: by which name it is asked for again.
 * @typedef {{ state: string, message?: string, learn?: string, before?: number, seconds?: number | null, asked?: number,
 *   run?: string, lane?: string, tokens?: number, of?: number, left?: number, live?: object }} Status
 */

const OWN = ["linked", "recorded", "refused"]; // said of something else than a run

const SILENT_MS = 5000; // of a run, after which the server is asked whether it is there

/** `lost`: asks the server for a run during which the page was loaded again, by its name; nothing where there is no server.
 * @param {Mount<{ words: Record<string, string> }> & { lost?: (run: string) => void }} mount */
export function status({ element, props, watch, lost }) {
  const box = query(element, ".sv-status");
  const readStatus = () => /** @type {Status} */ (JSON.parse(props.value));
  let learn = "";
  const lostRun = readTabStored("running"); // a connection that breaks loads the page again
  const canAsk = lost !== undefined && typeof lostRun === "string";
  let isLost = lostRun !== null;
  let silence = 0;
  /** Which run is under way is known at the next load. @param {Status} status */
  function keepState({ state, run }) {
    isLost &&= state === "linked" || state === "idle";
    if (isLost) return; // nothing was said of the run yet
    const isBusy = BUSY.includes(state);
    writeTabStored("running", isBusy ? (run ?? readTabStored("running") ?? true) : null);
    clearTimeout(silence);
    if (isBusy && lost) silence = window.setTimeout(checkConnection, SILENT_MS);
  }
  /** Gradio loads the page again when the server is back, and until then leaves what was said last. */
  async function checkConnection() {
    const timer = silence;
    const isThere = await fetch("gradio_api/app_id", { cache: "no-store" }).then(
      () => true,
      () => false,
    );
    if (timer !== silence) return; // something was said meanwhile
    if (isThere) silence = window.setTimeout(checkConnection, SILENT_MS);
    else box.replaceChildren(el("p", null, props.words.disconnected));
  }
  const paint = () => {
    const current = readStatus();
    const values = { ...current, lane: props.words[`lane_${current.lane}`] };
    const text =
      (isLost ? props.words[canAsk ? "asked" : "lost"] : undefined) ??
      current.message ??
      (current.state === "idle" ? "" : fillText(props.words[current.asked ? "running_short" : current.state], values)) +
        (current.left ? fillText(props.words.left, values) : "");
    box.dataset.state = current.state;
    // while what a chapter set is decoded, and when it is there, its chapter is a step away
    learn = current.learn ?? (OWN.includes(current.state) ? "" : learn);
    const way = learn ? [text ? " " : "", lead(learn)] : [];
    box.replaceChildren(...(text || way.length ? [el("p", null, text, way)] : []));
    if (text && current.state === "running") box.append(meter(current));
  };
  /** Its place among those who wait: the time that is left counts down, until another place is told. @param {Status} current */
  function showPlace({ before, seconds }) {
    const start = performance.now();
    const countdown = el("span", { "aria-live": "off" }); // nobody is told each second
    const tick = () => {
      if (seconds == null || !countdown.isConnected) return clearInterval(timer);
      const values = { seconds: Math.max(1, Math.round(seconds - (performance.now() - start) / 1000)) };
      countdown.textContent = fillText(props.words.place_wait, values);
    };
    const timer = setInterval(tick, 1000);
    box.replaceChildren(el("p", null, fillText(props.words.place, { before }), countdown), meanwhile(props.words));
    tick();
  }
  /** Press Run where a link or a chapter asks for it, also if its answer was there before this box. */
  function decode() {
    if (readStatus().state === "decode") requestAnimationFrame(() => query(document, "#run").click());
  }
  watch("value", () => {
    keepState(readStatus());
    paint();
    if (readStatus().before) showPlace(readStatus());
    // The race hears of it too: an earlier run is dimmed when a new one fails.
    const { state, live } = readStatus();
    document.dispatchEvent(new CustomEvent("specviz:status", { detail: state }));
    decode();
    if (live) document.dispatchEvent(new CustomEvent("specviz:live", { detail: live }));
  });
  paint();
  decode();
  if (canAsk) lost(lostRun);
}

/**
 * An example plays: its recorded run, where `models` have one, else it is decoded. What gradio sets: the prompt, the name of
 * the recorded run.
 * @param {Record<string, { text: string, runs: Record<string, string> }>} examples by the word on the button; `runs` by models
 * @param {number} index of the button @param {string} models
 */
export function playExample(examples, index, models) {
  const label = document.querySelectorAll("#examples-menu .gallery-item")[index].textContent ?? "";
  const { text, runs } = examples[label.trim()];
  if (models in runs) return [{ __type__: "update" }, runs[models]];
  requestAnimationFrame(() => requestAnimationFrame(() => query(document, "#run").click())); // the prompt stands there then
  return [text, ""];
}

const openExamples = () => query(document, "#examples").click();

/** What needs no turn. @param {Record<string, string>} words */
function meanwhile(words) {
  const ways = [
    // after this press, which closes what menu is open
    plainButton("button.sv-link", null, () => requestAnimationFrame(openExamples), words.meanwhile_recorded),
    plainButton("button.sv-link", null, () => openTab("learn-tab"), words.meanwhile_learn),
  ];
  /** @type {HTMLElement | null} */
  const here = document.querySelector("#decode-here"); // where this server has the site
  if (here) ways.push(plainButton("button.sv-link", null, () => here.click(), words.meanwhile_browser));
  return el(
    "p.sv-meanwhile",
    { "aria-live": "off" },
    words.meanwhile,
    ways.map((way) => [" ", way]),
  );
}

/** @param {string} words */
const lead = (words) => plainButton("button.sv-lead.sv-link", null, () => openTab("learn-tab"), words);

/** @param {Status} status */
function meter({ lane, tokens = 0, of = 1 }) {
  const inner = el("div");
  inner.style.width = `${(100 * tokens) / Math.max(1, of)}%`;
  const values = { role: "progressbar", "aria-valuenow": tokens, "aria-valuemax": of, "aria-label": lane };
  return el("div.sv-progress", values, inner);
}
