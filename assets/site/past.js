// The runs of this visit on a page without a server: lines, two of them compared, one shown again
// (specviz/page/keep/history.py). The browser keeps them for the next visit as it keeps those of the app.

import { history } from "../keep/history.js";
import { packed, unpacked } from "./packed.js";
import { part } from "./part.js";
import { openRun } from "./runs.js";

/** @import { Packed } from "../keep/again.js" */
/** @import { Run as Line } from "../keep/runs.js" */
/** @import { Given, Run } from "./types.js" */
/** @typedef {{ run: Run, line: Line }} Past */

const LIMIT = 12;
const COUNTS = ["accepted_of_tested", "tokens_per_forward", "tokens_per_round"];
const RATES = ["tokens_per_second", "tokens", "target_forwards", "draft_forwards"];

/** @param {Given} given @param {(run: Run) => void} show */
export function makePast(given, show) {
  /** @type {Past[]} */
  let all = [];
  const lines = (/** @type {Packed | null} */ added = null) =>
    JSON.stringify({ runs: all.map(({ line }) => line), limit: LIMIT, ...(added ? { added } : {}) });
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
        if (run && source in given.history) add({ run, line: lineOf(given, run, source) });
      }
      for (const past of now) add(past);
      paint(lines());
    },
  };
  const paint = part(history, "#history", { words: given.history, value: lines() }, heard);
  return {
    /** @param {Run} run @param {string} source run, file or recorded */
    async add(run, source) {
      const line = lineOf(given, run, source);
      add({ run, line });
      paint(lines({ id: line.id, source, data: await packed(run.bytes) }));
    },
  };
}

/** @param {Given} given @param {Run} run @param {string} source @returns {Line} */
function lineOf({ settings }, { picture, bytes }, source) {
  const { header, comparison, lanes } = /** @type {any} */ (picture);
  const { config, draft, machine } = header;
  const { numbers } = lanes.speculative ?? lanes.vanilla;
  const set = settings.map(({ name, rule }) => {
    const value = rule === null || rule === config.verifier ? config[name] : null;
    return [name, Array.isArray(value) ? value.join(", ") : value];
  });
  /** @type {Line["sure"]} */
  const sure = comparison?.speedup
    ? { speedup: [comparison.low, comparison.high], tokens_per_second: comparison.rates }
    : {};
  return {
    id: `${header.created} ${bytes.length} ${header.prompt.length}`,
    source,
    created: header.created,
    disturbed: comparison?.disturbed.length > 0,
    sure,
    settings: {
      prompt: header.prompt.slice(0, 400),
      target: header.target.name,
      draft: config.K && draft ? draft.name : null,
      ...Object.fromEntries(set),
      device: machine.device,
      threads: machine.threads,
    },
    numbers: {
      speedup: comparison?.speedup ?? null,
      alpha: numbers.alpha,
      ...Object.fromEntries([...COUNTS, ...RATES].map((name) => [name, numbers[name]])),
    },
  };
}
