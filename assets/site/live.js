// A run decoded in the visitor's own browser, in a worker: models are fetched when Run is first pressed.

import { Engine, raceOf } from "../engine/engine.js";
import { writeTrace } from "../engine/trace.js";
import { RULES } from "../rules/all.js";
import { fillText } from "../shared/sentences.js";
import { exact } from "../trace/events.js";
import { measured } from "./gains.js";
import { promptOf } from "./link.js";
import { Pace } from "./pace.js";
import { openRun } from "./runs.js";
import { configOf, SettingError } from "./settings.js";

/** @import { Costs, Said, Trace, Work } from "../engine/types.js" */
/** @import { Given, Run, Values } from "./types.js" */
/** @typedef {(state: string, values?: Record<string, unknown>) => void} Say */

const MEGA = 1e6;

/** @typedef {ReturnType<typeof makeLive>} Live */

/** The one engine of a visit, of Watch and of the Lab. @param {Given} given */
export function makeLive(given) {
  const { words, target, drafters } = given;
  const engine = new Engine(new URL("engine/worker.js", document.baseURI));
  /** @type {Set<string>} what this visit has fetched: the target, drafters */
  const here = new Set();
  let fetching = false;
  /** @type {(Costs & { drafter: string }) | null} of the latest run, measured before it began */
  let costs = null;

  /** @param {string} key */
  const drafterOf = (key) => drafters.find((one) => one.key === key) ?? drafters[0];

  /** What runs with these drafters would fetch, in bytes. @param {string[]} keys */
  function missing(keys) {
    const wanted = [target.bytes, ...keys.map((key) => drafterOf(key).bytes)];
    return wanted.reduce((sum, bytes, i) => sum + (here.has(i ? keys[i - 1] : target.name) ? 0 : bytes), 0);
  }

  /** What the worker finds with these drafters; what comes of their files is said, and all else heard. Rejects with a
   * sentence. @param {Work} work @param {string[]} keys @param {Say} say @param {(said: Said) => void} [heard] */
  async function found(work, keys, say, heard) {
    if (engine.busy) return engine.work(work); // refused in a sentence
    const of = missing(keys);
    fetching = of > 0; // also where not a byte has come yet
    /** @type {Map<string, number>} */
    const come = new Map();
    const there = () => work.type !== "cut" && [target.name, ...keys].map((one) => here.add(one));
    try {
      const all = await engine.work(work, (said) => {
        fetching = said.type === "fetched";
        if (said.type === "fetched") {
          come.set(said.path, said.bytes);
          const bytes = [...come.values()].reduce((all, each) => all + each, 0);
          return say("fetching", fetched(words, bytes, Math.max(of, bytes)));
        }
        there();
        heard?.(said);
      });
      there();
      return all;
    } finally {
      fetching = false;
    }
  }

  return {
    found,
    missing,
    /** After its round; at once while models are still coming. */
    stop() {
      if (!fetching) return engine.stop();
      here.clear();
      engine.abandon(given.status.never);
    },
    /** Sentences on what Run does here: what it fetches first, or what it measured. @param {string} key */
    note(key) {
      const bytes = missing([key]);
      if (bytes) return fillText(words.fetches, { megabytes: (bytes / MEGA).toFixed(0) });
      if (!costs) return words.fetched;
      return measured(words, costs.drafter === key ? costs : { ...costs, c: null });
    },
    /** A run for Watch. Rejects with a sentence. @param {Values} values @param {Say} say
     * @param {() => void} noted the `note` is another one now @returns {Promise<Run>} */
    async run(values, say, noted) {
      const drafter = drafterOf(String(values.drafter));
      const prompt = readOrExplain(() => promptOf(String(values.prompt), given));
      const config = readOrExplain(() => configOf(given, values));
      const pace = new Pace();
      const work = raceOf({ target: target.name, draft: drafter.draft, prompt, config });
      const trace = /** @type {Trace} */ (
        await found(work, [drafter.key], say, (said) => {
          if (said.type === "costs") {
            costs = { ...said.costs, drafter: drafter.key };
            noted();
          }
          const told = said.type === "progress" && pace.told(said.progress, config.max_new_tokens);
          if (told) say(told.state, told);
        })
      );
      if (!trace.vanilla.length && !trace.speculative.length) throw new Error(given.status.never);
      trace.header.exact = exact(config, RULES);
      return openRun(new Blob([await writeTrace(trace)]), given);
    },
  };
}

/** What was asked for, or the reason why it cannot be. @template Found @param {() => Found} read */
export function readOrExplain(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingError ? new Error(`${error.message}.`) : error;
  }
}

/** @param {Record<string, string>} words @param {number} bytes @param {number} of */
function fetched(words, bytes, of) {
  const [done, all] = [bytes, of].map((each) => (each / MEGA).toFixed(1));
  return { message: fillText(words.fetching, { done, all }), lane: words.models, tokens: bytes, of };
}
