// The runs of this visit: a table of lines, each shown again by a press. Every text of a run is a text node.

import { button } from "../shared/controls.js";
import { el, query } from "../shared/dom.js";
import { fillText } from "../shared/sentences.js";
import { forgetAll } from "../shared/store.js";
import { wordTable } from "../shared/table.js";
import { COLUMNS, cellText, clockTime, lineOfPacked } from "./line.js";
import { MAX_RUNS, storedRuns, storeRun, withRun } from "./stored_runs.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Line } from "./line.js" */
/** @import { PackedRun } from "./stored_runs.js" */

/**
 * `props.value`: the run that joins them. `again`: one is to be shown again.
 * @param {Mount<{ words: Record<string, string> }> & { again: (run: PackedRun) => void }} mount
 */
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
    const known = runs.filter(({ id }) => lines.has(id));
    const title = el("h3", null, words.title);
    if (!known.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty), footer());
    const heads = [words.time, ...COLUMNS.map((name) => words[name]), null];
    box.replaceChildren(title, wordTable(".sv-lines", heads, known.reverse().map(runRow)), footer());
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
