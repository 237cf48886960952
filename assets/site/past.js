// The runs of this visit on a page without a server: lines, one shown again
// (specviz/page/keep/history.py). The browser keeps them for the next visit as it keeps those of the app.

import { history } from "../keep/history.js";
import { lineOf } from "../keep/line.js";
import { packBytes, unpackBytes } from "../shared/packing.js";
import { mountComponent } from "./component.js";
import { openRun } from "./runs.js";

/** @import { PackedRun } from "../keep/stored_runs.js" */
/** @import { Line } from "../keep/line.js" */
/** @import { SiteData, Run } from "./types.js" */
/** @typedef {{ run: Run, line: Line }} Past */

const MAX_RUNS = 12;

/** @param {SiteData} site @param {(run: Run) => void} show */
export function makePast(site, show) {
  /** @type {Past[]} */
  let all = [];
  const lines = (/** @type {PackedRun[]} */ ...added) =>
    JSON.stringify({ runs: all.map(({ line }) => line), limit: MAX_RUNS, added });
  const add = (/** @type {Past} */ past) => {
    all = [...all.filter(({ line }) => line.id !== past.line.id), past].slice(-MAX_RUNS);
  };
  const handlers = {
    again(/** @type {string} */ id) {
      const past = all.find(({ line }) => line.id === id);
      if (past) show(past.run);
    },
    forget() {
      all = [];
      paint(lines());
    },
    /** Read as strictly as a file from anybody. @param {PackedRun[]} storedRuns */
    async restore(storedRuns) {
      const now = all;
      all = [];
      for (const { data, source } of storedRuns) {
        const run = await unpackBytes(data, site.contract.limits.file)
          .then((bytes) => openRun(new Blob([bytes]), site))
          .catch(() => null);
        if (run && source in site.history) add({ run, line: lineOfRun(run, source) });
      }
      for (const past of now) add(past);
      paint(lines());
    },
  };
  const paint = mountComponent(history, "#history", { words: site.history, value: lines() }, handlers);
  return {
    /** @param {Run} run @param {string} source run, file or recorded */
    async add(run, source) {
      const line = lineOfRun(run, source);
      add({ run, line });
      paint(lines({ id: line.id, source, data: await packBytes(run.bytes) }));
    },
  };
}

/** @param {Run} run @param {string} source */
const lineOfRun = ({ picture, bytes }, source) =>
  lineOf(picture, `${picture.header.created} ${bytes.length} ${picture.header.prompt.length}`, source);
