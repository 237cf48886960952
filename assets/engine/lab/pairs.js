// A drafter's run beside vanilla's, one right after the other: what luck and sweeps are made of
// (specviz/lab/pairs.py, specviz/lab/measure.py).

import { POSSIBLE, STALLED, stalledShare } from "../../trace/disturbed.js";
import { roundsOf, sum } from "../../trace/events.js";
import { decode } from "../decode.js";
import { PromptError } from "../text.js";

/** @import { Config, Finished, Setup } from "../types.js" */
/** @typedef {ReturnType<typeof measured>} Run */
/** @typedef {ReturnType<typeof pairOf>} Pair */
/** @typedef {(drafter: string, config: Config) => Pair} Once */

const WARM_UP = 12; // tokens

/** Pairs of runs after one prompt; a drafter's first run is warmed up first. `trees`: what is asked for, of which each
 * tree is tried at once: a drafter that cannot branch is refused before anything is drawn.
 * @param {Record<string, Setup>} setups by the name of what drafts @param {string} prompt
 * @param {[drafter: string, config: Config][]} trees @returns {Once} */
export function pairs(setups, prompt, trees) {
  const [{ target, text }] = Object.values(setups);
  const ids = text.encode(prompt);
  const room = target.context - ids.length;
  if (room < 2) throw new PromptError(`The prompt is ${ids.length} tokens long; ${target.context - 2} fit.`);
  const warm = new Set();
  const pair = (/** @type {Setup} */ setup, /** @type {Config} */ config) =>
    pairOf(measured(setup, ids, { ...config, K: 0 }, false), measured(setup, ids, config, true));
  const asked = (/** @type {Config} */ config, most = config.max_new_tokens) => {
    return { ...config, ignore_eos: true, stop: [], max_new_tokens: Math.min(most, room) };
  };
  const warmUp = (/** @type {string} */ drafter, /** @type {Config} */ config) => {
    if (!warm.has(drafter)) pair(setups[drafter], asked(config, WARM_UP));
    warm.add(drafter);
  };
  for (const [drafter, config] of trees) if (config.tree !== "off") warmUp(drafter, config);
  return (drafter, config) => {
    warmUp(drafter, config);
    return pair(setups[drafter], asked(config));
  };
}

/** One run in numbers; times in ms. @param {Setup} setup @param {number[]} ids @param {Config} config
 * @param {boolean} observe */
function measured(setup, ids, config, observe) {
  const events = [...decode(setup, ids, config, () => false, { observe })];
  const rounds = /** @type {import("../../trace/types.js").Round[]} */ (
    /** @type {unknown} */ (roundsOf(/** @type {any} */ (events)))
  );
  const end = /** @type {Finished} */ (events[events.length - 1]);
  const { tokens, drafted, decode_ms } = end;
  const betas = rounds.flatMap((round) =>
    round.drafted.flatMap(({ rank, position }) => (rank ? [] : (position?.beta ?? []))),
  );
  return {
    pace: decode_ms / tokens,
    tokens,
    drafted,
    rounds: rounds.length,
    draft: sum(rounds.map(({ times }) => times.draft ?? 0)),
    verify: sum(rounds.map(({ times }) => times.verify ?? 0)),
    betas,
    lengths: rounds.map((round) => round.drafted.length),
    depths: rounds.map(({ drafted }) => Math.max(0, ...drafted.map(({ depth }, i) => depth ?? i + 1))),
    at_once: setup.drafter?.atOnce ?? false,
    stalled: stalledShare(rounds),
  };
}

/** Both wrote as many tokens, after the same prompt, by the same seed. `alpha`: the mean of Σ min(p, q).
 * @param {Run} vanilla @param {Run} mine */
function pairOf(vanilla, mine) {
  const speedup = vanilla.pace / mine.pace;
  const tokens_a_round = mine.tokens / mine.rounds;
  const alpha = mine.betas.length ? sum(mine.betas) / mine.betas.length : null;
  const waited = vanilla.stalled > STALLED || mine.stalled > STALLED;
  // of a clock that stood there is no time at all
  const disturbed = waited || !(speedup > 0 && speedup * POSSIBLE <= tokens_a_round);
  return { vanilla, mine, speedup, alpha, tokens_a_round, disturbed };
}
