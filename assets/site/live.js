// A run decoded in the visitor's own browser, in a worker: models are fetched when Run is first pressed.

import { Engine } from "../engine/engine.js";
import { written } from "../engine/trace.js";
import { filled } from "../shared/sentences.js";
import { promptOf } from "./link.js";
import { Pace } from "./pace.js";
import { openRun } from "./runs.js";
import { configOf, SettingError } from "./settings.js";

/** @import { Given, Run, Values } from "./types.js" */
/** @typedef {(state: string, values?: Record<string, unknown>) => void} Say */

const MEGA = 1e6;

/** @param {Given} given @param {Say} say */
export function makeLive(given, say) {
  const { words, target, drafters } = given;
  const engine = new Engine(new URL("engine/worker.js", document.baseURI));
  /** @type {Set<string>} what this visit has fetched: the target, drafters */
  const here = new Set();
  let fetching = false;

  /** @param {string} key */
  const drafterOf = (key) => drafters.find((one) => one.key === key) ?? drafters[0];

  /** What a run with this drafter would fetch, in bytes. @param {string} key */
  function missing(key) {
    const drafter = drafterOf(key);
    return (here.has(target.name) ? 0 : target.bytes) + (here.has(drafter.key) ? 0 : drafter.bytes);
  }

  return {
    /** After its round; at once while models are still coming. */
    stop() {
      if (!fetching) return engine.stop();
      here.clear();
      engine.abandon(given.status.never);
    },
    /** A sentence on what Run does here, and on what it fetches first. @param {string} key */
    note(key) {
      const bytes = missing(key);
      return bytes ? filled(words.fetches, { megabytes: (bytes / MEGA).toFixed(0) }) : words.fetched;
    },
    /** Rejects with a sentence. @param {Values} values @returns {Promise<Run>} */
    async run(values) {
      const drafter = drafterOf(String(values.drafter));
      const prompt = asked(() => promptOf(String(values.prompt), given));
      const config = asked(() => configOf(given, values));
      const of = missing(drafter.key);
      const pace = new Pace();
      /** @type {Map<string, number>} */
      const come = new Map();
      const trace = await engine.race({ target: target.name, draft: drafter.draft, prompt, config }, (said) => {
        fetching = said.type === "fetched";
        if (said.type === "fetched") {
          come.set(said.path, said.bytes);
          const bytes = [...come.values()].reduce((all, each) => all + each, 0);
          say("fetching", fetched(words, bytes, Math.max(of, bytes)));
        } else if (said.type === "progress") {
          here.add(target.name).add(drafter.key);
          const told = pace.told(said.progress, config.max_new_tokens);
          if (told) say(told.state, told);
        }
      });
      if (!trace.vanilla.length && !trace.speculative.length) throw new Error(given.status.never);
      return openRun(new Blob([await written(trace)]), given);
    },
  };
}

/** What was asked for, or the reason why it cannot be. @template Found @param {() => Found} read */
function asked(read) {
  try {
    return read();
  } catch (error) {
    throw error instanceof SettingError ? new Error(`${error.message}.`) : error;
  }
}

/** @param {Record<string, string>} words @param {number} bytes @param {number} of */
function fetched(words, bytes, of) {
  const [done, all] = [bytes, of].map((each) => (each / MEGA).toFixed(1));
  return { message: filled(words.fetching, { done, all }), lane: words.models, tokens: bytes, of };
}
