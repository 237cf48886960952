// What a pass costs here: t(n) over n tokens, by batches that are longer than the steps of a browser's clock. And a few
// rounds of both lanes that nobody sees: a browser compiles a function better once it was called some times; what those
// after them take says what the run itself will cost. c is a drafter's step and v a pass over a block, both in passes
// of the target over one token.

import { MAX_STALLED, roundMs, stalledShare, sum } from "../trace/events.js";
import { decode } from "./decode.js";

/** @import { Llama, Sequence } from "./model.js" */
/** @import { Config, Costs, Round, Setup } from "./types.js" */

const BATCH_MS = 4; // timed as one, at least
const CACHED_POSITIONS = 100;
const BATCHES = 15;

/** The median ms of a pass over each number of tokens of `sizes`, and the least. @param {Llama} model
 * @param {number[]} sizes */
export function blockTimes(model, sizes) {
  const { memory } = model.compiled;
  const mark = memory.mark();
  const sequence = model.sequence(CACHED_POSITIONS + Math.max(...sizes));
  sequence.append(Array.from({ length: CACHED_POSITIONS }, (_, i) => 5 + i));
  /** @type {Record<number, { median: number, least: number }>} */
  const times = {};
  for (const n of sizes) times[n] = timePass(sequence, n);
  memory.release(mark);
  return times;
}

/** @param {Sequence} sequence @param {number} n */
function timePass(sequence, n) {
  const ids = Array.from({ length: n }, (_, i) => 200 + i);
  const pass = () => {
    sequence.append(ids, n);
    sequence.rollback(CACHED_POSITIONS);
  };
  const batch = (/** @type {number} */ passes) => {
    const start = performance.now();
    for (let i = 0; i < passes; i++) pass();
    return performance.now() - start;
  };
  let passes = 1;
  while (batch(passes) < BATCH_MS) passes *= 2;
  const times = Array.from({ length: BATCHES }, () => batch(passes) / passes).sort((a, b) => a - b);
  return { median: times[BATCHES >> 1], least: times[0] };
}

const LANE_TOKENS = 16; // each time
const LIMIT_MS = 1000; // of a lane, and of all that is repeated: a slow device has seen enough then
const MEASURED_MS = 150; // at least: the sum of many rounds is finer than a clock of .1 ms

/** Both lanes for so long that their code is as fast as it gets, and what they take then.
 * @param {Setup} setup @param {number[]} prompt @param {Config} config @param {number} step of the clock, in ms
 * @returns {Costs} */
export function warmUp(setup, prompt, config, step) {
  const short = { ...config, max_new_tokens: Math.min(LANE_TOKENS, config.max_new_tokens), ignore_eos: true, stop: [] };
  /** @type {[Round[], Round[]]} */
  const rounds = [[], []];
  const start = performance.now();
  const isLate = () => performance.now() - start > LIMIT_MS;
  let [ms, warm] = [0, false];
  do {
    const lanes = [0, ...(config.K ? [config.K] : [])].map((K) => warmLane(setup, prompt, { ...short, K }));
    const cold = !warm && !isLate();
    warm = true;
    if (cold) continue;
    for (const [i, lane] of lanes.entries()) rounds[i].push(...lane);
    ms += sum(lanes.flat().map(roundMs));
  } while (!rounds[0].length || (ms < MEASURED_MS && !isLate()));
  return costsOf(rounds, step);
}

/** @param {Setup} setup @param {number[]} prompt @param {Config} config @returns {Round[]} */
function warmLane(setup, prompt, config) {
  let ms = 0;
  /** @type {Round[]} */
  const rounds = [];
  for (const event of decode(setup, prompt, config, () => ms > LIMIT_MS, { observe: false }))
    if (event.event === "round") {
      rounds.push(event);
      ms += roundMs(event);
    }
  return rounds;
}

/** @param {[Round[], Round[]]} rounds of the target alone, and with a draft @param {number} step @returns {Costs} */
function costsOf([vanilla, speculative], step) {
  const mean = (/** @type {Round[]} */ some, /** @type {"draft" | "verify"} */ part) =>
    sum(some.map(({ times }) => times[part])) / some.length;
  const token = [vanilla, speculative].map((lane) => {
    const tokens = sum(lane.map(({ emitted }) => emitted.length));
    return tokens ? sum(lane.map(roundMs)) / tokens : 0;
  });
  const busy = [vanilla, speculative].some((lane) => stalledShare(lane, step) > MAX_STALLED);
  const pass = mean(vanilla, "verify");
  const blocks = speculative.filter((round) => round.drafted.length);
  const costs = { pass, token: token[0] + token[1], busy, step, block: 0, c: null, v: null };
  if (!blocks.length || !pass) return costs;
  const block = Math.max(...blocks.map((round) => round.drafted.length));
  const steps = blocks.map((round) => round.drafted.length);
  const c = (mean(blocks, "draft") * blocks.length) / sum(steps) / pass;
  const longest = blocks.filter((round) => round.drafted.length === block);
  return { ...costs, block, c, v: mean(longest, "verify") / pass };
}
