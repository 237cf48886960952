// The runs of this visit: a table of lines, each shown again by a press. Every text of a run is a text node.

import { button } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { forgetAll } from "../shared/store.js";
import { wordTable } from "../shared/table.js";
import { COLUMNS, cellText, clockTime, lineOfPacked } from "./line.js";
import { storedRuns, storeRun } from "./stored_runs.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Line } from "./line.js" */
/** @import { PackedRun } from "./stored_runs.js" */

/**
 * `again`: a run is to be shown again; `forget`: all are to be forgotten; `restore`: these were kept by the browser.
 * @param {Mount<{ words: Record<string, string> }> & {
 *   again: (id: string) => void, forget: () => void, restore: (runs: PackedRun[]) => void,
 * }} mount
 */
export function history({ element, props, watch, again, forget, restore }) {
  const box = query(element, ".sv-history");
  const { words } = props;
  /** @type {Map<string, Line>} by their runs, of those that the server sends without */
  const lines = new Map();
  const readValue = () => {
    /** @type {{ runs: (Line | { id: string })[], limit: number, added: PackedRun[] }} */
    const { runs, limit, added } = JSON.parse(props.value);
    return { runs: runs.flatMap((run) => ("values" in run ? run : (lines.get(run.id) ?? []))), limit, added };
  };

  /** Of the runs without a line, as far as this browser has them; what is no run has none. @param {PackedRun[]} added */
  async function readLines(added) {
    const packed = new Map([...storedRuns(), ...added].map((run) => [run.id, run]));
    const missing = JSON.parse(props.value).runs.filter((/** @type {Line} */ run) => !run.values && !lines.has(run.id));
    for (const { id } of missing) {
      const run = packed.get(id);
      const line = run && (await lineOfPacked(run).catch(() => null));
      if (line) lines.set(id, line);
    }
  }

  function runRow(/** @type {Line} */ run) {
    const time = clockTime(run);
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
    const title = el("h3", null, words.title);
    if (!runs.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty), footer(limit));
    const heads = [words.time, ...COLUMNS.map((name) => words[name]), null];
    box.replaceChildren(title, wordTable(".sv-lines", heads, [...runs].reverse().map(runRow)), footer(limit));
  }

  watch("value", async () => {
    const { added } = readValue();
    for (const run of added) storeRun(run);
    await readLines(added);
    drawHistory();
  });
  drawHistory();
  const stored = storedRuns();
  if (stored.length) restore(stored);
}
