// What was asked for last is shown, whatever comes when: recorded runs, files, and the run that this browser decodes.

import { RunError } from "./runs.js";

/** @import { ShowStatus } from "./live.js" */
/** @import { Run } from "./types.js" */

const READING_MS = 8000; // to read a sentence

/** @param {ShowStatus} showStatus @param {string} lost what is said of a file of the site that does not come */
export function makeTurns(showStatus, lost) {
  let last = 0; // turns so far
  let now = 0; // whose it is
  let quiet = 0; // until then a run that goes on says nothing over the sentence that stands there

  const nextTurn = () => {
    now = ++last;
    return now;
  };

  /** @param {unknown} error @param {boolean} ours it was thrown with a sentence */
  function sentence(error, ours) {
    if (ours && error instanceof Error) return error.message;
    console.warn(error);
    return lost;
  }

  return {
    /** Nothing was asked for. */
    get none() {
      return !last;
    },
    /** Something is shown that need not be waited for. */
    nextTurn,
    /** Show what comes, unless something else was asked for meanwhile; what is refused leaves what was there before.
     * @param {Promise<Run>} promise @param {(run: Run) => void} onRun
     * @returns {Promise<string>} why it does not come, if so */
    async show(promise, onRun) {
      const before = now;
      const mine = nextTurn();
      try {
        const run = await promise;
        if (mine === now) onRun(run);
        return "";
      } catch (error) {
        const message = sentence(error, error instanceof RunError);
        if (mine !== now) return message;
        now = before;
        quiet = performance.now() + READING_MS;
        showStatus("refused", { message });
        return message;
      }
    },
    /** Decode. How far it is is shown as long as nothing else was asked for.
     * @param {(showStatus: ShowStatus) => Promise<Run>} decodeRun
     * @param {(run: Run, alone: boolean) => void} onRun `alone`: nothing else was asked for meanwhile */
    async decode(decodeRun, onRun) {
      const mine = nextTurn();
      const alone = () => mine === now;
      try {
        const run = await decodeRun((state, values) => {
          if (alone() && performance.now() > quiet) showStatus(state, values);
        });
        onRun(run, alone());
      } catch (error) {
        showStatus(alone() ? "error" : "refused", { message: sentence(error, true) });
      }
    },
  };
}
