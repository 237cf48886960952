// The runs of this visit, as the server packed them: the last ones, as far as there is room. This browser keeps them for the
// next visit too. A table of lines (when it was made, what drafted, what it came to), each shown again by a press; every text
// of a run is a text node. And a file that is dropped on the page, which takes it as the button Open run does
// (specviz/page/keep/files.py).

import { button, el, forgetAll, query, readStored, visible, whileHere, wordTable, writeStored } from "../player/dom.js";
import { unpackBytes, upload } from "../player/page.js";
import { pictureOf } from "../player/picture.js";
import { ABOUT, fillText, number, percent } from "../player/words.js";

/** @import { Mount, Picture } from "../shared/types.js" */
/** @import { LaneName, Trace } from "../trace/types.js" */

/**
 * `created`: when, in ISO 8601; `timed`: by which clock, none where the machine was busy and nobody knows the
 * processor time; `values`: of COLUMNS
 * @typedef {{ id: string, source: string, created: string, timed: "wall" | "processor" | null,
 *   values: Record<string, string | number | null> }} Line
 */

const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];
const MAX_BYTES = 2 ** 25; // bytes of a trace
const MAX_PROMPT = 400; // characters

/** @param {Picture} picture @param {string} id @param {string} source run, file or recorded @returns {Line} */
export function lineOf(picture, id, source) {
  const { header, comparison, lanes } = /** @type {any} */ (picture);
  const { config, created, draft, prompt } = header;
  const { alpha, tokens_per_forward } = (lanes.speculative ?? lanes.vanilla).numbers;
  return {
    id,
    source,
    created,
    timed: comparison ? comparison.clock : "wall",
    values: {
      draft: config.K && draft ? draft.name : null,
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
      document.querySelector(".sv-race")?.scrollIntoView({ block: "start" });
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
      runs = [];
      drawHistory();
    });
    const no = button(words.clear_no, drawHistory);
    foot.replaceChildren(el("p", { role: "alert" }, words.clear_ask), el("div", null, yes, " ", no));
    no.focus({ preventScroll: true });
  }

  function footer() {
    const clear = button(words.clear, () => askFirst(box));
    const note = el("p.sv-note", null, fillText(words.note, { limit: MAX_RUNS }));
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
