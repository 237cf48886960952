// A drafter's run beside vanilla's, one right after the other: what luck and sweeps are made of
// (specviz/lab/measure.py).

import { MAX_STALLED, MIN_ROUND_COST, stalledShare } from "../../trace/disturbed.js";
import { roundsOf, sum } from "../../trace/events.js";
import { decode } from "../decode.js";
import { PromptError } from "../text.js";

/** @import { Config, Finished, Setup } from "../types.js" */
/** @typedef {ReturnType<typeof measureRun>} Run */
/** @typedef {ReturnType<typeof pairOf>} Pair */
/** @typedef {(drafter: string, config: Config) => Pair} PairRunner */

const WARM_UP_TOKENS = 12;

/** Pairs of runs after one prompt; a drafter's first run is warmed up first.
 * @param {Record<string, Setup>} setups by the name of what drafts @param {string} prompt @returns {PairRunner} */
export function pairs(setups, prompt) {
  const [{ target, text }] = Object.values(setups);
  const ids = text.encode(prompt);
  const positions = target.context - ids.length;
  if (positions < 2) throw new PromptError(`The prompt is ${ids.length} tokens long; ${target.context - 2} fit.`);
  const warmDrafters = new Set();
  const pair = (/** @type {Setup} */ setup, /** @type {Config} */ config) =>
    pairOf(measureRun(setup, ids, { ...config, K: 0 }, false), measureRun(setup, ids, config, true));
  const runConfig = (/** @type {Config} */ config, maxTokens = config.max_new_tokens) => {
    return { ...config, ignore_eos: true, stop: [], max_new_tokens: Math.min(maxTokens, positions) };
  };
  const warmUp = (/** @type {string} */ drafter, /** @type {Config} */ config) => {
    if (!warmDrafters.has(drafter)) pair(setups[drafter], runConfig(config, WARM_UP_TOKENS));
    warmDrafters.add(drafter);
  };
  return (drafter, config) => {
    warmUp(drafter, config);
    return pair(setups[drafter], runConfig(config));
  };
}

/** One run in numbers; times in ms. @param {Setup} setup @param {number[]} ids @param {Config} config
 * @param {boolean} observe */
function measureRun(setup, ids, config, observe) {
  const events = [...decode(setup, ids, config, () => false, { observe })];
  const rounds = roundsOf(events);
  const end = /** @type {Finished} */ (events[events.length - 1]);
  const { tokens, drafted, decode_ms } = end;
  const betas = rounds.flatMap((round) => round.drafted.flatMap(({ position }) => position?.beta ?? []));
  return {
    pace: decode_ms / tokens,
    tokens,
    drafted,
    rounds: rounds.length,
    draft: sum(rounds.map(({ times }) => times.draft ?? 0)),
    verify: sum(rounds.map(({ times }) => times.verify ?? 0)),
    betas,
    lengths: rounds.map((round) => round.drafted.length),
    stalled: stalledShare(rounds),
  };
}

/** Both wrote as many tokens, after the same prompt, by the same seed. `alpha`: the mean of Σ min(p, q).
 * @param {Run} vanilla @param {Run} mine */
function pairOf(vanilla, mine) {
  const speedup = vanilla.pace / mine.pace;
  const tokens_a_round = mine.tokens / mine.rounds;
  const alpha = mine.betas.length ? sum(mine.betas) / mine.betas.length : null;
  const isStalled = vanilla.stalled > MAX_STALLED || mine.stalled > MAX_STALLED;
  // of a clock that stood there is no time at all
  const disturbed = isStalled || !(speedup > 0 && speedup * MIN_ROUND_COST <= tokens_a_round);
  return { vanilla, mine, speedup, alpha, tokens_a_round, disturbed };
}
