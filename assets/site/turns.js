// What was asked for last is shown, whatever comes when: recorded runs, files, and the run that this browser decodes.

import { RunError } from "./runs.js";

/** @import { Say } from "./live.js" */
/** @import { Run } from "./types.js" */

const READ = 8000; // ms to read a sentence

/** @param {Say} say @param {string} lost what is said of a file of the site that does not come */
export function makeTurns(say, lost) {
  let last = 0; // turns so far
  let now = 0; // whose it is
  let quiet = 0; // until then a run that goes on says nothing over the sentence that stands there

  const take = () => {
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
    take,
    /** Show what comes, unless something else was asked for meanwhile; what is refused leaves what was there before.
     * @param {Promise<Run>} coming @param {(run: Run) => void} then
     * @returns {Promise<string>} why it does not come, if so */
    async show(coming, then) {
      const before = now;
      const mine = take();
      try {
        const run = await coming;
        if (mine === now) then(run);
        return "";
      } catch (error) {
        const message = sentence(error, error instanceof RunError);
        if (mine !== now) return message;
        now = before;
        quiet = performance.now() + READ;
        say("refused", { message });
        return message;
      }
    },
    /** Decode. What goes on is told as long as nothing else was asked for.
     * @param {(say: Say) => Promise<Run>} run
     * @param {(run: Run, alone: boolean) => void} then `alone`: nothing else was asked for meanwhile */
    async decode(run, then) {
      const mine = take();
      const alone = () => mine === now;
      try {
        const found = await run((state, values) => {
          if (alone() && performance.now() > quiet) say(state, values);
        });
        then(found, alone());
      } catch (error) {
        say(alone() ? "error" : "refused", { message: sentence(error, true) });
      }
    },
  };
}
