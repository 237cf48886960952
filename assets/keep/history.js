// The runs of this visit: a table of lines, and two of them to compare. Every text of a run is a text node.

import { button } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { forgetAll } from "../shared/store.js";
import { wordTable } from "../shared/table.js";
import { lineOfPacked } from "./line.js";
import { cellText, clockTime, comparison } from "./runs.js";
import { storedRuns, storeRun } from "./stored_runs.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Run, Words } from "./runs.js" */
/** @import { PackedRun } from "./stored_runs.js" */
/** @import { Setting } from "./line.js" */

const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];

/**
 * `again`: a run is to be shown again; `forget`: all are to be forgotten; `restore`: these were kept by the browser.
 * @param {Mount<{ words: Words, settings?: Setting[] }> & {
 *   again: (id: string) => void, forget: () => void, restore: (runs: PackedRun[]) => void,
 * }} mount
 */
export function history({ element, props, watch, again, forget, restore }) {
  const box = query(element, ".sv-history");
  const { words } = props;
  /** @type {string[]} ids of at most two runs, in the order in which they were chosen */
  let selection = [];
  /** @type {Map<string, Run>} lines by their runs, of those that the server sends without */
  const lines = new Map();
  const readValue = () => {
    /** @type {{ runs: (Run | { id: string })[], limit: number, added: PackedRun[] }} */
    const { runs, limit, added } = JSON.parse(props.value);
    return { runs: runs.flatMap((run) => ("numbers" in run ? run : (lines.get(run.id) ?? []))), limit, added };
  };

  /** @param {PackedRun} run one that is none has no line */
  async function readLine(run) {
    if (!props.settings || lines.has(run.id)) return;
    const line = await lineOfPacked(run, props.settings).catch(() => null);
    if (line) lines.set(run.id, line);
  }

  function toggleRun(/** @type {string} */ id, /** @type {boolean} */ on) {
    selection = on ? [...selection, id].slice(-2) : selection.filter((other) => other !== id);
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("tr[data-id]"))) {
      const mark = /** @type {HTMLInputElement} */ (query(row, "input"));
      mark.checked = selection.includes(row.dataset.id || "");
    }
    query(box, ".sv-compared").replaceChildren(...comparison(readValue().runs, selection, words));
  }

  function runRow(/** @type {Run} */ run) {
    const time = clockTime(run);
    const checkbox = el("input", { type: "checkbox", "aria-label": fillText(words.compare_this, { time }) });
    checkbox.checked = selection.includes(run.id);
    checkbox.addEventListener("change", () => toggleRun(run.id, checkbox.checked));
    const act = () => {
      again(run.id);
      // far above this list: what was asked for is there
      document.querySelector(".sv-race")?.scrollIntoView({ block: "start" });
    };
    const showButton = button(words.show, act, { "aria-label": fillText(words.show_this, { time }) });
    const cells = COLUMNS.map((name) => el("td", { "data-name": name }, el("bdi", null, cellText(run, name, words))));
    const source = el("span.sv-note", null, words[run.source]);
    return el(
      "tr",
      { "data-id": run.id },
      el("td", null, checkbox),
      el("th.sv-time", { scope: "row" }, time, " ", source),
      cells,
      el("td.sv-again", null, showButton),
    );
  }

  /** Asked once, in the place of the button. @param {HTMLElement} foot */
  function askFirst(foot) {
    const yes = button(words.clear_yes, () => {
      forgetAll();
      forget();
    });
    const no = button(words.clear_no, drawHistory);
    foot.replaceChildren(el("p", { role: "alert" }, words.clear_ask), el("div", null, yes, " ", no));
    no.focus({ preventScroll: true });
  }

  function footer(/** @type {number} */ limit) {
    const clear = button(words.clear, () => askFirst(box));
    const note = el("p.sv-note", null, fillText(words.note, { limit }));
    const box = el("div.sv-history-foot.sv-flow.sv-ends", null, note, clear);
    return box;
  }

  function drawHistory() {
    const { runs, limit } = readValue();
    selection = selection.filter((id) => runs.some((run) => run.id === id));
    const title = el("h3", null, words.title);
    if (!runs.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty), footer(limit));
    const heads = [words.compare, words.time, ...COLUMNS.map((name) => words[name]), null];
    box.replaceChildren(
      title,
      wordTable(".sv-lines", heads, [...runs].reverse().map(runRow)),
      footer(limit),
      el("div.sv-compared.sv-scroll", null, comparison(runs, selection, words)),
    );
  }

  watch("value", async () => {
    const { added } = readValue();
    for (const run of added) storeRun(run);
    await Promise.all(added.map(readLine));
    drawHistory();
  });
  drawHistory();
  const stored = storedRuns();
  if (stored.length) Promise.all(stored.map(readLine)).then(() => restore(stored));
}
