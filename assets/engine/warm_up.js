// A few rounds of both lanes that nobody sees: a browser compiles a function better once it was called some times. What
// the rounds after those take says what the run itself will cost here.

import { STALLED, stalledShare } from "../trace/disturbed.js";
import { sum, timed } from "../trace/events.js";
import { depths } from "../trace/tree.js";
import { decode } from "./decode.js";

/** @import { Config, Costs, Round, Setup } from "./types.js" */

const TOKENS = 16; // of a lane, each time
const MOST = 1000; // ms of a lane, and of all that is repeated: a slow device has seen enough then
const ENOUGH = 150; // ms of what is measured: the sum of many rounds is finer than a clock of .1 ms

/** Both lanes for so long that their code is as fast as it gets, and what they take then.
 * @param {Setup} setup @param {number[]} prompt @param {Config} config @param {number} step of the clock, in ms
 * @returns {Costs} */
export function warmUp(setup, prompt, config, step) {
  const short = { ...config, max_new_tokens: Math.min(TOKENS, config.max_new_tokens), ignore_eos: true, stop: [] };
  /** @type {[Round[], Round[]]} */
  const seen = [[], []];
  const began = performance.now();
  const late = () => performance.now() - began > MOST;
  let [ms, warm] = [0, false];
  do {
    const lanes = [0, ...(config.K ? [config.K] : [])].map((K) => rounds(setup, prompt, { ...short, K }));
    const cold = !warm && !late();
    warm = true;
    if (cold) continue;
    for (const [i, lane] of lanes.entries()) seen[i].push(...lane);
    ms += sum(lanes.flat().map(timed));
  } while (!seen[0].length || (ms < ENOUGH && !late()));
  return costsOf(seen, setup.drafter?.atOnce ?? false, step);
}

/** @param {Setup} setup @param {number[]} prompt @param {Config} config @returns {Round[]} */
function rounds(setup, prompt, config) {
  let ms = 0;
  /** @type {Round[]} */
  const found = [];
  for (const event of decode(setup, prompt, config, () => ms > MOST, { observe: false }))
    if (event.event === "round") {
      found.push(event);
      ms += timed(event);
    }
  return found;
}

/** @param {[Round[], Round[]]} seen of the target alone, and with a draft @param {boolean} atOnce @param {number} step
 * @returns {Costs} */
function costsOf([alone, drafted], atOnce, step) {
  const mean = (/** @type {Round[]} */ some, /** @type {"draft" | "verify"} */ part) =>
    sum(some.map(({ times }) => times[part])) / some.length;
  const token = [alone, drafted].map((lane) => {
    const written = sum(lane.map(({ emitted }) => emitted.length));
    return written ? sum(lane.map(timed)) / written : 0;
  });
  const busy = [alone, drafted].some((lane) => stalledShare(lane, step) > STALLED);
  const pass = mean(alone, "verify");
  const blocks = drafted.filter((round) => round.drafted.length);
  const costs = { pass, token: token[0] + token[1], busy, step, block: 0, c: null, v: null };
  if (!blocks.length || !pass) return costs;
  const block = Math.max(...blocks.map((round) => round.drafted.length));
  const steps = blocks.map((round) => (atOnce ? 1 : Math.max(...depths(round.drafted))));
  const c = (mean(blocks, "draft") * blocks.length) / sum(steps) / pass;
  const whole = blocks.filter((round) => round.drafted.length === block);
  return { ...costs, block, c, v: mean(whole, "verify") / pass };
}
