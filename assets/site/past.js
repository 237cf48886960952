// The runs of this visit on a page without a server: lines, two of them compared, one shown again
// (specviz/page/keep/history.py). The browser keeps them for the next visit as it keeps those of the app.

import { history } from "../keep/history.js";
import { lineOf } from "../keep/line.js";
import { packed, unpacked } from "../shared/packed.js";
import { part } from "./part.js";
import { openRun } from "./runs.js";

/** @import { Packed } from "../keep/again.js" */
/** @import { Run as Line } from "../keep/runs.js" */
/** @import { Given, Run } from "./types.js" */
/** @typedef {{ run: Run, line: Line }} Past */

const LIMIT = 12;

/** @param {Given} given @param {(run: Run) => void} show */
export function makePast(given, show) {
  /** @type {Past[]} */
  let all = [];
  const lines = (/** @type {Packed[]} */ ...added) =>
    JSON.stringify({ runs: all.map(({ line }) => line), limit: LIMIT, added });
  const add = (/** @type {Past} */ past) => {
    all = [...all.filter(({ line }) => line.id !== past.line.id), past].slice(-LIMIT);
  };
  const heard = {
    again(/** @type {string} */ id) {
      const past = all.find(({ line }) => line.id === id);
      if (past) show(past.run);
    },
    forget() {
      all = [];
      paint(lines());
    },
    /** Read as strictly as a file from anybody. @param {Packed[]} kept */
    async restore(kept) {
      const now = all;
      all = [];
      for (const { data, source } of kept) {
        const run = await unpacked(data, given.contract.limits.file)
          .then((bytes) => openRun(new Blob([bytes]), given))
          .catch(() => null);
        if (run && source in given.history) add({ run, line: lined(given, run, source) });
      }
      for (const past of now) add(past);
      paint(lines());
    },
  };
  const paint = part(history, "#history", { words: given.history, value: lines() }, heard);
  return {
    /** @param {Run} run @param {string} source run, file or recorded */
    async add(run, source) {
      const line = lined(given, run, source);
      add({ run, line });
      paint(lines({ id: line.id, source, data: await packed(run.bytes) }));
    },
  };
}

/** @param {Given} given @param {Run} run @param {string} source */
const lined = ({ settings }, { picture, bytes }, source) =>
  lineOf(picture, `${picture.header.created} ${bytes.length} ${picture.header.prompt.length}`, source, settings);
