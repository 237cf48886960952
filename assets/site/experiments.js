// The Lab's experiments, run by the worker of this browser: what is told while they go on (specviz/page/lab/run.py).

import { requestParsers } from "./asked.js";
import { readOrExplain } from "./live.js";
import { sentence } from "./luck.js";

/** @import { Found as Luck } from "../lab/luck/types.js" */
/** @import { Settings, Told } from "../lab/types.js" */
/** @import { Live } from "./live.js" */
/** @import { Given, LabFile } from "./types.js" */

/** @param {Given} given @param {Live} live @param {Promise<LabFile>} file */
export function makeExperiments(given, live, file) {
  let stopped = false;
  return {
    stop() {
      stopped = true;
      live.stop();
    },
    /** @param {string} key of the panel @param {Settings} sent @param {(value: string) => void} tell */
    async run(key, sent, tell) {
      const say = (/** @type {Told} */ told) => tell(JSON.stringify(told));
      stopped = false;
      /** @type {unknown} */
      let last = null;
      say({ state: "running", done: 0, of: 1 });
      try {
        const { sent: lab, luck } = await file;
        const { words } = /** @type {LabFile["sent"]["panels"][number]} */ (lab.panels.find((one) => one.key === key));
        const { work, keys, ran } = readOrExplain(() => requestParsers[key](given, words, sent));
        const whole = (/** @type {unknown} */ found) =>
          key === "luck"
            ? { .../** @type {Luck} */ (found), sentence: sentence(/** @type {Luck} */ (found), luck) }
            : { .../** @type {object} */ (found), ran };
        const fetching = (/** @type {string} */ _, /** @type {Record<string, unknown>} */ values = {}) =>
          say({ state: "running", done: 0, of: 1, message: String(values.message) });
        const began = performance.now();
        const found = await live.found(work, keys, fetching, (said) => {
          if (said.type !== "step") return;
          const { done, of } = said;
          if (said.found) last = whole(said.found);
          const left = ((performance.now() - began) / 1000 / done) * (of - done);
          say({ state: "running", done, of, left, ...(said.found ? { found: last } : {}) });
        });
        if (found) last = whole(found);
        say({ state: stopped ? "stopped" : "done", found: last });
      } catch (error) {
        say({ state: "error", message: error instanceof Error ? error.message : given.words.lost, found: last });
      }
    },
  };
}
