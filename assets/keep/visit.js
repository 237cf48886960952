// What this browser keeps of a visit. Its runs, as the server packed them: the last ones, as far as there is room, for the
// next visit too. A table of lines (when it was made, what drafted, what it came to), each shown again by a press; every text
// of a run is a text node. And a file that is dropped on the page, which takes it as the button Open run does
// (specviz/page/keep/files.py).

import {
  button,
  el,
  forgetAll,
  query,
  readStored,
  readTabStored,
  visible,
  whileHere,
  wordTable,
  writeStored,
  writeTabStored,
} from "../player/dom.js";
import { currentRun, NO_SETTING, sharedLink, unpackBytes, upload } from "../player/page.js";
import { pictureOf } from "../player/picture.js";
import { ABOUT, fillText, number, percent, wordOf } from "../player/words.js";

/** @import { Mount, Picture } from "../shared/types.js" */
/** @import { LaneName, Trace } from "../trace/types.js" */

/**
 * `created`: when, in ISO 8601; `timed`: by which clock, none where the machine was busy and nobody knows the
 * processor time; `values`: of COLUMNS
 * @typedef {{ id: string, source: string, created: string, timed: "wall" | "processor" | null,
 *   values: Record<string, string | number | null> }} Line
 */

const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];
export const MAX_BYTES = 2 ** 25; // bytes of a trace
const MAX_PROMPT = 400; // characters

/** @param {Picture} picture @param {string} id @param {string} source run, file or recorded @returns {Line} */
export function lineOf(picture, id, source) {
  const { header, comparison, lanes } = /** @type {any} */ (picture);
  const { config, created, draft, prompt } = header;
  const rule = config.verifier === "rejection" ? "" : `, ${wordOf(`rule_${config.verifier}`)}`;
  const { alpha, tokens_per_forward } = (lanes.speculative ?? lanes.vanilla).numbers;
  return {
    id,
    source,
    created,
    timed: comparison ? comparison.clock : "wall",
    values: {
      draft: config.K && draft ? `${draft.name}${rule}` : null,
      K: config.K,
      temperature: config.temperature,
      speedup: comparison?.speedup ?? null,
      alpha,
      tokens_per_forward,
      prompt: prompt.slice(0, MAX_PROMPT),
    },
  };
}

/** Of a run as the server packed it. Rejects what is none. @param {PackedRun} packed */
async function lineOfPacked({ id, source, data }) {
  const text = new TextDecoder().decode(await unpackBytes(data, MAX_BYTES));
  return lineOf(pictureOf(traceOf(text), ABOUT), id, source);
}

/** The trace in a file that the server wrote, so nothing is checked. @param {string} text @returns {Trace} */
function traceOf(text) {
  const [header, ...events] = text
    .split("\n")
    .slice(0, -2)
    .map((line) => JSON.parse(line)); // but for the seal
  const of = (/** @type {LaneName} */ name) => events.filter(({ lane }) => lane === name);
  return { header, vanilla: of("vanilla"), speculative: of("speculative") };
}

/** The time of day, and the day too where it is another one. @param {Line} line */
function clockTime({ created }) {
  const then = new Date(created);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  return then.toDateString() === new Date().toDateString() ? time : `${then.toLocaleDateString()} ${time}`;
}

/** A value as a person reads it. @param {Line} line @param {string} name of COLUMNS @param {Record<string, string>} words */
export function cellText({ values, timed }, name, words) {
  const value = values[name];
  if (value === null || value === "") return words.nothing;
  if (name === "speedup") {
    const speedup = `${number(Number(value), 2)} ×`;
    return timed === "processor" ? fillText(words.processor, { speedup }) : timed ? speedup : words.busy;
  }
  if (name === "alpha") return percent(Number(value));
  return name === "tokens_per_forward" ? number(Number(value), 2) : visible(String(value));
}

/** @typedef {{ id: string, source: string, data: string }} PackedRun */

const MAX_RUNS = 12;
const SOURCES = ["run", "file", "recorded"];
const MAX_CHARACTERS = 12_000_000; // characters of a visit
const STORED_CHARACTERS = 2_000_000; // characters for the next one: a browser keeps some five million for a site

/** @returns {PackedRun[]} */
function storedRuns() {
  const runs = readStored("runs");
  const whole = (/** @type {any} */ run) =>
    SOURCES.includes(run?.source) && [run.id, run.data].every((part) => typeof part === "string");
  return Array.isArray(runs) ? runs.filter(whole).slice(-MAX_RUNS) : [];
}

/** With a run at their end, once, and others left out until they fit: recorded ones first, which can be opened again.
 * @param {PackedRun[]} runs @param {PackedRun} run */
export function withRun(runs, run, most = MAX_CHARACTERS) {
  const all = [...runs.filter(({ id }) => id !== run.id), run];
  const own = all.filter(({ source }) => source !== "recorded");
  if (run.source === "recorded" && own.length >= MAX_RUNS) return own.slice(-MAX_RUNS);
  while (all.length > MAX_RUNS || (all.length && all.reduce((sum, { data }) => sum + data.length, 0) > most)) dropRun(all);
  return all;
}

/** @param {PackedRun[]} runs the last of them is the newest */
function dropRun(runs) {
  const at = runs.slice(0, -1).findIndex(({ source }) => source === "recorded");
  runs.splice(Math.max(0, at), 1);
}

/** @param {PackedRun} run */
function storeRun(run) {
  const runs = withRun(storedRuns(), run, STORED_CHARACTERS);
  while (!writeStored("runs", runs) && runs.length) dropRun(runs);
}

/** `props.value`: the run that joins them. `again`: one is to be shown again.
 * @param {Mount<{ words: Record<string, string> }> & { again: (run: PackedRun) => void }} mount */
export function history({ element, props, watch, again }) {
  const box = query(element, ".sv-history");
  const { words } = props;
  let runs = storedRuns();
  let last = /** @type {PackedRun | null} */ (null); // it may find no room among them
  currentRun.packedOf = (id) => [...runs, last].find((run) => run?.id === id)?.data;
  /** @type {Map<string, Line>} by their runs; what is no run has none */
  const lines = new Map();

  async function draw() {
    for (const run of runs) {
      const line = lines.get(run.id) ?? (await lineOfPacked(run).catch(() => null));
      if (line) lines.set(run.id, line);
    }
    drawHistory();
  }

  function runRow(/** @type {PackedRun} */ packed) {
    const run = /** @type {Line} */ (lines.get(packed.id));
    const time = clockTime(run);
    const act = () => {
      again(packed);
      // far above this list: what was asked for is there
      document.querySelector(".sv-lanes")?.scrollIntoView({ block: "start" });
    };
    const showButton = button(words.show, act, { "aria-label": fillText(words.show_this, { time }) });
    const cells = COLUMNS.map((name) => el("td", { "data-name": name }, el("bdi", null, cellText(run, name, words))));
    const source = el("span.sv-note", null, words[run.source]);
    return el(
      "tr",
      { "data-id": run.id },
      el("th.sv-time", { scope: "row" }, time, " ", source),
      cells,
      el("td.sv-again", null, showButton),
    );
  }

  /** Asked once, in the place of the button. @param {HTMLElement} foot */
  function askFirst(foot) {
    const yes = button(words.clear_yes, () => {
      forgetAll();
      writeTabStored("settings", null);
      runs = [];
      drawHistory();
    });
    const no = button(words.clear_no, drawHistory);
    foot.replaceChildren(el("p", { role: "alert" }, words.clear_ask), el("div", null, yes, " ", no));
    no.focus({ preventScroll: true });
  }

  function footer() {
    const clear = button(words.clear, () => askFirst(box));
    const note = el("p.sv-note", null, fillText(words.note, { limit: MAX_RUNS }), " ", words.goes);
    const box = el("div.sv-history-foot.sv-flow.sv-ends", null, note, clear);
    return box;
  }

  function drawHistory() {
    const openable = runs.filter(({ id }) => lines.has(id));
    const title = el("h3", null, words.title);
    if (!openable.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty), footer());
    const heads = [words.time, ...COLUMNS.map((name) => words[name]), null];
    box.replaceChildren(title, wordTable(".sv-lines", heads, openable.reverse().map(runRow)), footer());
  }

  watch("value", () => {
    if (!props.value) return;
    const run = JSON.parse(props.value);
    last = run;
    runs = withRun(runs, run);
    storeRun(run);
    draw();
  });
  drawHistory();
  draw();
}

/**
 * @param {Mount<{ words: { cue: string } }> & { dropped: () => void }} mount `dropped`: something that is not one file
 */
export function drop({ element, props, dropped }) {
  const cue = el("div.sv-drop", { hidden: "", "aria-hidden": "true" }, el("p", null, props.words.cue));
  document.body.append(cue);
  let inside = 0; // a drag enters and leaves each element that it passes

  function hideCue() {
    inside = 0;
    cue.hidden = true;
  }
  /** @param {string} name @param {(data: DataTransfer) => void} act */
  function listenToDrag(name, act) {
    const onDrag = (/** @type {DragEvent} */ event) => {
      const data = event.dataTransfer;
      if (!data?.types.includes("Files")) return;
      event.preventDefault();
      event.stopPropagation(); // no field of the page takes it instead
      act(data);
    };
    whileHere(element, window, name, onDrag, true);
  }
  listenToDrag("dragenter", () => {
    inside += 1;
    cue.hidden = false;
  });
  listenToDrag("dragover", (data) => {
    data.dropEffect = "copy";
  });
  listenToDrag("dragleave", () => {
    inside -= 1;
    if (inside <= 0) hideCue();
  });
  listenToDrag("drop", (data) => {
    hideCue();
    passFile(data, dropped);
  });
}

/** @param {DataTransfer} data @param {() => void} dropped */
function passFile({ files, items }, dropped) {
  const folder = [...items].some((item) => item.webkitGetAsEntry?.()?.isDirectory);
  if (files.length === 1 && !folder) upload(files);
  else dropped();
}

// Prompt and settings as an address (specviz/page/watch/shelf.py): a link that is copied, one by which somebody
// arrives, and what the browser keeps for the next visit, which is read back as strictly.

/** @typedef {string | number | boolean | null | undefined} Value */

const FILLING = ["decode", "linked", "recorded"]; // the status where a chapter, a link or a run filled in settings

/** Only what differs from the `plain` values of a page is named.
 * @param {string[]} names @param {Value[]} values @param {Record<string, Value>} plain @param {string} recordedName the run
 * that is shown */
export function linkQuery(names, values, plain, recordedName) {
  const parameters = new URLSearchParams();
  if (recordedName) parameters.set("recorded", recordedName);
  for (const [i, name] of names.entries()) {
    const value = values[i];
    const text = String(value ?? ""); // a field without a server gives its number as text
    if (text && text !== String(plain[name] ?? "")) parameters.set(name, text);
  }
  return parameters;
}

/** Into the clipboard or, where that is refused, into a field to copy from: what is returned is drawn by linkStatus.
 * @param {string[]} names @param {Record<string, Value>} plain
 * @param {number} longest what every browser, server and proxy on the way takes
 * @param {Value[]} values those of `names`, and the name of the recorded run that is shown */
export async function copyLink(names, plain, longest, values) {
  const recordedName = String(values[names.length] ?? "");
  const link = sharedLink(`${location.pathname}?${linkQuery(names, values, plain, recordedName)}`);
  if (link.length > longest) return JSON.stringify({ state: "long" });
  try {
    await navigator.clipboard.writeText(link);
    return JSON.stringify({ state: "copied", at: Date.now() });
  } catch {
    return JSON.stringify({ state: "refused", link });
  }
}

/**
 * What the site decodes: the same prompt and settings. Other models than the site's have other drafters: there it takes
 * its own.
 * @param {string[]} names @param {Record<string, Value>} plain `models`: those of the site @param {Value[]} values
 */
export function siteQuery(names, plain, values) {
  const own = values[names.indexOf("models")] === plain.models;
  const linkValues = values.map((value, i) => (own || !/models|drafter/.test(names[i]) ? value : null));
  return linkQuery(names, linkValues, plain, "");
}

/** The site beside this page: there the visitor's own browser decodes. What is returned is drawn by linkStatus.
 * @param {string[]} names @param {Record<string, Value>} plain @param {number} longest @param {Value[]} values */
export function decodeHere(names, plain, longest, values) {
  const link = new URL(`site/?${siteQuery(names, plain, values)}`, location.href);
  if (link.href.length > longest) return JSON.stringify({ state: "long" });
  window.open(link, "_blank");
  return "{}";
}

/** What became of Copy link: a sentence, and the link itself in a field where the browser refused to copy it. And the
 * other end: whoever arrives by such a link has it read. `linked`: a link's settings are to be read, or those that this
 * browser kept.
 * @param {Mount<{ words: Record<string, string> }> & { linked: (kept: string) => void }} mount */
export function linkStatus({ element: home, props, watch, linked }) {
  const box = query(home, ".sv-said");
  const paint = () => {
    const { state, link } = JSON.parse(props.value || "{}");
    box.replaceChildren();
    if (!state) return;
    box.append(el("p", null, props.words[state]));
    if (!link) return;
    const field = el("input.sv-input", { type: "text", "aria-label": props.words.field });
    field.readOnly = true;
    field.value = link;
    box.append(field);
    field.focus();
    field.select();
  };
  watch("value", paint);
  paint();
  // what was said of a link is over when something else is done
  whileHere(home, document, "specviz:status", () => box.replaceChildren());
  // a link's parameters are read by the server; a plain address costs no trip there
  const names = [...new URLSearchParams(location.search).keys()];
  const stored = readTabStored("settings") ?? readStored("settings"); // another tab has others
  const settings = typeof stored === "string" ? stored : "";
  const isOwn = readTabStored("own") === true && readTabStored("running") !== null; // of a run in which the page is loaded again
  if (names.some((name) => !NO_SETTING.test(name)) && !(isOwn && settings)) linked("");
  else if (settings) linked(settings);
}

let isFilled = false; // since then nobody typed
globalThis.document?.addEventListener("specviz:status", (/** @type {any} */ { detail }) => {
  isFilled ||= FILLING.includes(detail);
});

/** What a visitor sets.
 * @param {string[]} names @param {Record<string, Value>} plain what a page says that nobody changed
 * @param {number} longest characters @param {Value[]} values */
export function keepSettings(names, plain, longest, values) {
  const text = String(linkQuery(names, values, plain, ""));
  if (text.length <= longest) {
    writeStored("settings", text || null);
    writeTabStored("settings", text);
  }
  isFilled = false;
  return [];
}

/** The same once Run is pressed: gradio may not have heard the last letter yet. What else filled in settings presses it
 * too. @param {Parameters<typeof keepSettings>} values */
export function keepTyped(...values) {
  writeTabStored("own", !isFilled || null);
  return isFilled ? [] : keepSettings(...values);
}

/** How far a slider goes: as far as what is typed, and back again. What a hand drags ends where it was.
 * @param {string} id @param {number} end where it ends by itself @param {number} value */
export function sliderUpdate(id, end, value) {
  const most = Number(query(document, `#${id} [type=range]`).getAttribute("max"));
  const isTyped = document.activeElement instanceof HTMLInputElement && document.activeElement.type === "number";
  const maximum = isTyped ? Math.max(end, value) : Math.max(most, value);
  return { __type__: "update", ...(maximum === most ? {} : { maximum }) };
}

/** Settings that somebody unfolded are so at the next visit: what gradio's accordion is told. */
export const accordionUpdate = () => ({ __type__: "update", open: readStored("unfolded") === true });

/** @param {boolean} open */
export function keepUnfolded(open) {
  writeStored("unfolded", open || null);
  return [];
}
