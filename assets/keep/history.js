// The runs of this visit: a table of lines, and two of them to compare. Every text of a run is a text node.

import { el, the } from "../shared/dom.js";
import { filled } from "../shared/sentences.js";
import { comparison } from "./compare.js";
import { clockTime, told } from "./runs.js";

/** @import { Mount } from "../shared/types.js" */
/** @import { Run, Words } from "./runs.js" */

const COLUMNS = ["draft", "K", "temperature", "speedup", "alpha", "tokens_per_forward", "prompt"];

/**
 * `again`: a run is to be shown again; `forget`: all are to be forgotten.
 * @param {Mount<{ words: Words }> & { again: (id: string) => void, forget: () => void }} mount
 */
export function history({ element, props, watch, again, forget }) {
  const box = the(element, ".sv-history");
  const { words } = props;
  /** @type {string[]} ids of at most two runs, in the order in which they were chosen */
  let chosen = [];
  const read = () => /** @type {{ runs: Run[], limit: number }} */ (JSON.parse(props.value));

  function pick(/** @type {string} */ id, /** @type {boolean} */ on) {
    chosen = on ? [...chosen, id].slice(-2) : chosen.filter((other) => other !== id);
    for (const row of /** @type {NodeListOf<HTMLElement>} */ (box.querySelectorAll("tr[data-id]"))) {
      const mark = /** @type {HTMLInputElement} */ (the(row, "input"));
      mark.checked = chosen.includes(row.dataset.id || "");
    }
    the(box, ".sv-compared").replaceChildren(...comparison(read().runs, chosen, words));
  }

  function line(/** @type {Run} */ run) {
    const time = clockTime(run);
    const choose = el("input", { type: "checkbox", "aria-label": filled(words.compare_this, { time }) });
    choose.checked = chosen.includes(run.id);
    choose.addEventListener("change", () => pick(run.id, choose.checked));
    const show = el(
      "button.sv-button",
      { type: "button", "aria-label": filled(words.show_this, { time }) },
      words.show,
    );
    show.addEventListener("click", () => {
      again(run.id);
      // far above this list: what was asked for is there
      document.querySelector(".sv-race")?.scrollIntoView({ block: "start" });
    });
    const cells = COLUMNS.map((name) =>
      el("td", { "data-name": name, "data-label": words[name] }, el("bdi", null, told(run, name, words))),
    );
    const source = el("span.sv-note", null, words[run.source]);
    return el(
      "tr",
      { "data-id": run.id },
      el("td.sv-pick", null, choose),
      el("th.sv-time", { scope: "row" }, time, " ", source),
      cells,
      el("td.sv-again", null, show),
    );
  }

  function paint() {
    const { runs, limit } = read();
    chosen = chosen.filter((id) => runs.some((run) => run.id === id));
    const title = el("h3", null, words.title);
    if (!runs.length) return box.replaceChildren(title, el("p.sv-note", null, words.empty));
    const clear = el("button.sv-button", { type: "button" }, words.clear);
    clear.addEventListener("click", forget);
    const first = ["compare", "time"].map((name) => el("th", { scope: "col" }, words[name]));
    const others = COLUMNS.map((name) => el("th", { scope: "col", "data-name": name }, words[name]));
    const head = el("thead", null, el("tr", null, first, others, el("td")));
    box.replaceChildren(
      title,
      el("table.sv-table.sv-lines", null, head, el("tbody", null, [...runs].reverse().map(line))),
      el("div.sv-history-foot", null, el("p.sv-note", null, filled(words.note, { limit })), clear),
      el("div.sv-compared", null, comparison(runs, chosen, words)),
    );
  }

  watch("value", paint);
  paint();
}
