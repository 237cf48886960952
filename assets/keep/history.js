// The runs of this visit: a table of lines, and two of them to compare. Every text of a run is a text node.

import { button } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { forgetAll } from "../shared/store.js";
import { wordTable } from "../shared/table.js";
import { keepRun, keptRuns } from "./again.js";
import { comparison } from "./compare.js";
import { lineOfPacked } from "./line.js";
import { cellText, clockTime } from "./runs.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Packed } from "./again.js" */
/** @import { Setting } from "./line.js" */
/** @import { Run, Words } from "./runs.js" */

const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];

/**
 * `again`: a run is to be shown again; `forget`: all are to be forgotten; `restore`: these were kept by the browser.
 * @param {Mount<{ words: Words, settings?: Setting[] }> & {
 *   again: (id: string) => void, forget: () => void, restore: (runs: Packed[]) => void,
 * }} mount
 */
export function history({ element, props, watch, again, forget, restore }) {
  const box = query(element, ".sv-history");
  const { words } = props;
  /** @type {string[]} ids of at most two runs, in the order in which they were chosen */
  let chosen = [];
  /** @type {Map<string, Run>} lines by their runs, of those that the server sends without */
  const lines = new Map();
  const read = () => {
    /** @type {{ runs: (Run | { id: string })[], limit: number, added: Packed[] }} */
    const { runs, limit, added } = JSON.parse(props.value);
    return { runs: runs.flatMap((run) => ("numbers" in run ? run : (lines.get(run.id) ?? []))), limit, added };
  };

  /** @param {Packed} run one that is none has no line */
  async function readLine(run) {
    if (!props.settings || lines.has(run.id)) return;
    const line = await lineOfPacked(run, props.settings).catch(() => null);
    if (line) lines.set(run.id, line);
  }

  function pick(/** @type {string} */ id, /** @type {boolean} */ on) {
    chosen = on ? [...chosen, id].slice(-2) : chosen.filter((other) => other !== id);
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("tr[data-id]"))) {
      const mark = /** @type {HTMLInputElement} */ (query(row, "input"));
      mark.checked = chosen.includes(row.dataset.id || "");
    }
    query(box, ".sv-compared").replaceChildren(...comparison(read().runs, chosen, words));
  }

  function line(/** @type {Run} */ run) {
    const time = clockTime(run);
    const choose = el("input", { type: "checkbox", "aria-label": fillText(words.compare_this, { time }) });
    choose.checked = chosen.includes(run.id);
    choose.addEventListener("change", () => pick(run.id, choose.checked));
    const shown = () => {
      again(run.id);
      // far above this list: what was asked for is there
      document.querySelector(".sv-race")?.scrollIntoView({ block: "start" });
    };
    const show = button(words.show, shown, { "aria-label": fillText(words.show_this, { time }) });
    const cells = COLUMNS.map((name) => el("td", { "data-name": name }, el("bdi", null, cellText(run, name, words))));
    const source = el("span.sv-note", null, words[run.source]);
    return el(
      "tr",
      { "data-id": run.id },
      el("td", null, choose),
      el("th.sv-time", { scope: "row" }, time, " ", source),
      cells,
      el("td.sv-again", null, show),
    );
  }

  /** Asked once, in the place of the button. @param {HTMLElement} foot */
  function askFirst(foot) {
    const yes = button(words.clear_yes, () => {
      forgetAll();
      forget();
    });
    const no = button(words.clear_no, paint);
    foot.replaceChildren(el("p", { role: "alert" }, words.clear_ask), el("div", null, yes, " ", no));
    no.focus({ preventScroll: true });
  }

  function foot(/** @type {number} */ limit) {
    const clear = button(words.clear, () => askFirst(box));
    const note = el("p.sv-note", null, fillText(words.note, { limit }));
    const box = el("div.sv-history-foot.sv-flow.sv-ends", null, note, clear);
    return box;
  }

  function paint() {
    const { runs, limit } = read();
    chosen = chosen.filter((id) => runs.some((run) => run.id === id));
    const title = el("h3", null, words.title);
    if (!runs.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty), foot(limit));
    const heads = [words.compare, words.time, ...COLUMNS.map((name) => words[name]), null];
    box.replaceChildren(
      title,
      wordTable(".sv-lines", heads, [...runs].reverse().map(line)),
      foot(limit),
      el("div.sv-compared.sv-scroll", null, comparison(runs, chosen, words)),
    );
  }

  watch("value", async () => {
    const { added } = read();
    for (const run of added) keepRun(run);
    await Promise.all(added.map(readLine));
    paint();
  });
  paint();
  const before = keptRuns();
  if (before.length) Promise.all(before.map(readLine)).then(() => restore(before));
}
