// Races and experiments in a worker of its own, so that the page stays awake. What it is asked
// and what it sends: types.d.ts, WorkerRequest and WorkerMessage.

import { Assistant } from "./assistant.js";
import { MemoryError, suitedModule } from "./compiled.js";
import { warmUp } from "./costs.js";
import { resolution } from "./decode.js";
import { ASSISTANT } from "./engine.js";
import { luck, pairRunner, playRound, sweep } from "./lab.js";
import { ModelCache, makeFetch } from "./load.js";
import { race } from "./race.js";
import { PromptError } from "./text.js";
import { ModelError } from "./weights.js";

/** @import { Costs, WorkerRequest, Drafts, WorkerMessage, Setup, Work } from "./types.js" */

const WORK_MS = 30; // after which the worker looks whether it should stop
const SUMMARY_MS = 700; // between two summaries of an experiment
const COARSE_MS = 0.05; // a clock with larger steps cannot time a phase of one round
const MEASURED_IDS = 64; // of a prompt, before a run: a long one takes seconds
const LONGEST_RUN_S = 60; // of a run that starts here

let isRunning = false;
let isStopped = false;
/** @type {Map<string, Promise<ModelCache>>} by the module that they run in */
const modelCaches = new Map();

/** @param {WorkerMessage} message */
function send(message) {
  postMessage(message);
}

/** Models stay loaded between runs; what could not be opened is tried again. @param {string} target */
async function openModels(target) {
  const { file, reason } = suitedModule(target === ASSISTANT);
  if (reason) throw new ModelError(reason);
  const fetch = makeFetch(new URL("../", import.meta.url), (path, bytes, of) => send({ type: "fetched", path, bytes, of }));
  const open = () => (target === ASSISTANT ? Assistant.open(fetch, file, "blocks") : ModelCache.open(fetch, file));
  const promise = modelCaches.get(file) ?? open();
  modelCaches.set(file, promise);
  try {
    return await promise;
  } catch (error) {
    modelCaches.delete(file);
    throw error;
  }
}

/** @param {Extract<Work, { type: "run" }>} work */
async function runRace({ target, draft, prompt, config, browser }) {
  const setup = await (await openModels(target)).setUp(target, draft);
  const clockStep = resolution();
  const step = clockStep < COARSE_MS ? 0 : clockStep;
  const ids = setup.text.encode(prompt);
  const costs = warmUp(setup, ids.slice(-MEASURED_IDS), config, step);
  send({ type: "costs", costs });
  refuseLongRun(costs, Math.min(config.max_new_tokens, setup.target.context - ids.length));
  const { threads } = setup.target.compiled;
  const machine = { device: `CPU (WebAssembly, ${browser})`, threads, python: "", torch: "", transformers: "" };
  const steps = race(setup, prompt, config, { stop: () => isStopped, machine, step });
  return takeSteps(steps, (progress) => send({ type: "progress", progress }));
}

/** Refuses a run that would take minutes. @param {Costs} costs @param {number} tokens */
function refuseLongRun({ token }, tokens) {
  const seconds = (token * tokens) / 1000;
  if (seconds <= LONGEST_RUN_S) return;
  const most = Math.floor((1000 * LONGEST_RUN_S) / token);
  const advice = most >= 8 ? `Ask for at most ${most} tokens, or watch a recorded run.` : "Watch a recorded run.";
  throw new ModelError(`This device is too weak: ${tokens} tokens would take it ${seconds.toFixed(0)} s. ${advice}`);
}

/** All steps, and what the last returns. A stop is noticed between two of them: what is timed is not interrupted.
 * @template Step, Result @param {Generator<Step, Result, void>} steps @param {(step: Step) => void} onStep */
async function takeSteps(steps, onStep) {
  let lastPause = performance.now();
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
    onStep(value);
    if (performance.now() - lastPause < WORK_MS) continue;
    await new Promise((resolve) => setTimeout(resolve));
    lastPause = performance.now();
  }
}

/** An experiment to its end, or until it is stopped: its last summary. It is summed up now and then, since that takes
 * time. @param {Generator<{ done: number, of: number, summary: () => object }, void, void>} steps */
async function runExperiment(steps) {
  let lastSummary = () => /** @type {object | null} */ (null);
  let lastSummaryAt = performance.now();
  function* untilStopped() {
    for (const step of steps) {
      lastSummary = step.summary;
      yield step;
      if (isStopped) return;
    }
  }
  await takeSteps(untilStopped(), ({ done, of, summary }) => {
    const now = performance.now();
    const isDue = now - lastSummaryAt >= SUMMARY_MS;
    if (isDue) lastSummaryAt = now;
    send({ type: "step", done, of, result: isDue ? summary() : null });
  });
  return lastSummary();
}

/** @param {string} target @param {Drafts} drafts by key @returns {Promise<Record<string, Setup>>} */
async function setups(target, drafts) {
  const models = await openModels(target);
  /** @type {Record<string, Setup>} */
  const byKey = {};
  for (const [key, draft] of Object.entries(drafts)) byKey[key] = await models.setUp(target, draft);
  return byKey;
}

/** @param {Work} work @returns {Promise<unknown>} */
async function resultOf(work) {
  const { target } = work;
  switch (work.type) {
    case "run":
      return runRace(work);
    case "cut": {
      const text = await (await openModels(target)).text(target);
      return (work.further ? text.encodeContinuation(work.text) : text.encode(work.text)).map((id) => text.token(id));
    }
    case "score": {
      const all = await setups(target, work.drafts);
      const others = Object.entries(all).map(([key, { drafter }]) => [key, drafter]);
      const setup = await (await openModels(target)).setUp(target, null);
      return playRound(setup, work.text, work.guesses, work.config, Object.fromEntries(others));
    }
    case "luck": {
      const measurePair = pairRunner(await setups(target, work.drafts), work.prompt);
      return runExperiment(luck(measurePair, work.settings, work.seeds));
    }
    case "sweep": {
      const { ks, turns } = work.grid;
      const keys = Object.keys(work.drafts);
      const measurePair = pairRunner(await setups(target, work.drafts), work.prompt);
      return runExperiment(sweep(measurePair, keys, ks, turns, work.config));
    }
  }
}

/** @param {unknown} error */
function sentence(error) {
  if (error instanceof ModelError || error instanceof PromptError || error instanceof MemoryError) return error.message;
  if (error instanceof RangeError) return `The run ended: ${error.message}`;
  return `The run failed: ${error instanceof Error ? error.message : error}`;
}

addEventListener("message", async (/** @type {MessageEvent<WorkerRequest>} */ { data }) => {
  if (data.type === "stop") {
    isStopped = true;
    return;
  }
  if (isRunning) return send({ type: "error", message: "A run is going on in this browser. Stop it first." });
  isRunning = true;
  isStopped = false;
  try {
    send({ type: "result", result: await resultOf(data) });
  } catch (error) {
    send({ type: "error", message: sentence(error) });
  }
  isRunning = false;
});
