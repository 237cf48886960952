// Races and experiments in a worker of its own, so that the page stays awake. What it is told and
// says: types.d.ts, Asked and Said.

import { suitedModule } from "./compiled.js";
import { fetching } from "./fetching.js";
import { luck } from "./lab/luck.js";
import { pairs } from "./lab/pairs.js";
import { play } from "./lab/people.js";
import { sweep } from "./lab/sweep.js";
import { ModelCache } from "./load.js";
import { MemoryError } from "./memory.js";
import { race } from "./race.js";
import { resolution } from "./stopwatch.js";
import { PromptError } from "./text.js";
import { warmUp } from "./warm_up.js";
import { ModelError } from "./weights.js";

/** @import { Config, Costs, Asked, Drafts, Said, Setup, Work } from "./types.js" */

const AWAKE = 30; // ms of work after which the worker looks whether it was told to stop
const COUNTED = 700; // ms between two countings of what an experiment has found
const COARSE = 0.05; // ms: a clock with larger steps cannot time a phase of one round
const LONGEST = 60; // s of a run that is begun here

let running = false;
let stopped = false;
/** @type {Promise<ModelCache> | null} */
let shelf = null;

/** @param {Said} said */
function say(said) {
  postMessage(said);
}

/** Models stay loaded between runs; what could not be opened is tried again. */
async function opened() {
  const { file, reason } = suitedModule();
  if (reason) throw new ModelError(reason);
  const fetch = fetching(new URL("../", import.meta.url), (path, bytes, of) =>
    say({ type: "fetched", path, bytes, of }),
  );
  shelf ??= ModelCache.open(fetch, file);
  try {
    return await shelf;
  } catch (error) {
    shelf = null;
    throw error;
  }
}

/** @param {Extract<Work, { type: "run" }>} asked */
async function run({ target, draft, prompt, config, browser }) {
  const setup = await (await opened()).setUp(target, draft);
  const found = resolution();
  const step = found < COARSE ? 0 : found;
  const ids = setup.text.encode(prompt);
  const costs = warmUp(setup, ids, config, step);
  say({ type: "costs", costs });
  tooWeak(costs, Math.min(config.max_new_tokens, setup.target.context - ids.length));
  const machine = { device: `CPU (WebAssembly, ${browser})`, threads: 1, python: "", torch: "", transformers: "" };
  const steps = race(setup, prompt, config, { stop: () => stopped, machine, step });
  return inTurn(steps, (progress) => say({ type: "progress", progress }));
}

/** Refuses a run that would take minutes. @param {Costs} costs @param {number} tokens */
function tooWeak({ token }, tokens) {
  const seconds = (token * tokens) / 1000;
  if (seconds <= LONGEST) return;
  const most = Math.floor((1000 * LONGEST) / token);
  const advice = most >= 8 ? `Ask for at most ${most} tokens, or watch a recorded run.` : "Watch a recorded run.";
  throw new ModelError(`This device is too weak: ${tokens} tokens would take it ${seconds.toFixed(0)} s. ${advice}`);
}

/** All steps, and what the last gives. Between two of them it is looked whether to stop: what is timed is not
 * interrupted. @template Step, Found @param {Generator<Step, Found, void>} steps @param {(step: Step) => void} told */
async function inTurn(steps, told) {
  let looked = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    told(value);
    if (performance.now() - looked < AWAKE) continue;
    await new Promise((resolve) => setTimeout(resolve));
    looked = performance.now();
  }
}

/** An experiment to its end, or until it is stopped: all that it found. What was found is counted now and then, since
 * that takes time. @param {Generator<{ done: number, of: number, found: () => object }, void, void>} steps */
async function experiment(steps) {
  let last = () => /** @type {object | null} */ (null);
  let at = performance.now();
  function* heard() {
    for (const step of steps) {
      last = step.found;
      yield step;
      if (stopped) return;
    }
  }
  await inTurn(heard(), ({ done, of, found }) => {
    const now = performance.now();
    const counted = now - at >= COUNTED;
    if (counted) at = now;
    say({ type: "step", done, of, found: counted ? found() : null });
  });
  return last();
}

/** @param {string} target @param {Drafts} drafts by key @returns {Promise<Record<string, Setup>>} */
async function setups(target, drafts) {
  const shelf = await opened();
  /** @type {Record<string, Setup>} */
  const found = {};
  for (const [key, draft] of Object.entries(drafts)) found[key] = await shelf.setUp(target, draft);
  return found;
}

/** @param {Work} asked @returns {Promise<unknown>} */
async function found(asked) {
  const { target } = asked;
  switch (asked.type) {
    case "run":
      return run(asked);
    case "cut": {
      const text = await (await opened()).text(target);
      return (asked.further ? text.further(asked.text) : text.encode(asked.text)).map((id) => text.token(id));
    }
    case "score": {
      const all = await setups(target, asked.drafts);
      const others = Object.entries(all).map(([key, { drafter }]) => [key, drafter]);
      const setup = await (await opened()).setUp(target, null);
      return play(setup, asked.text, asked.guesses, asked.config, Object.fromEntries(others));
    }
    case "luck": {
      const each = asked.settings.map(({ drafter, config }) => /** @type {[string, Config]} */ ([drafter, config]));
      const once = pairs(await setups(target, asked.drafts), asked.prompt, each);
      return experiment(luck(once, asked.settings, asked.seeds));
    }
    case "sweep": {
      const { ks, temperatures, turns } = asked.over;
      const keys = Object.keys(asked.drafts);
      const each = keys.map((key) => /** @type {[string, Config]} */ ([key, asked.config]));
      const once = pairs(await setups(target, asked.drafts), asked.prompt, each);
      return experiment(sweep(once, keys, ks, temperatures, turns, asked.config));
    }
  }
}

/** @param {unknown} error */
function sentence(error) {
  if (error instanceof ModelError || error instanceof PromptError || error instanceof MemoryError) return error.message;
  if (error instanceof RangeError) return `The run ended: ${error.message}`;
  return `The run failed: ${error instanceof Error ? error.message : error}`;
}

addEventListener("message", async (/** @type {MessageEvent<Asked>} */ { data }) => {
  if (data.type === "stop") {
    stopped = true;
    return;
  }
  if (running) return say({ type: "error", message: "A run is going on in this browser. Stop it first." });
  running = true;
  stopped = false;
  try {
    say({ type: "found", found: await found(data) });
  } catch (error) {
    say({ type: "error", message: sentence(error) });
  }
  running = false;
});
