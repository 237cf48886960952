// Where the speed of a run comes from: c, v, the speedup they predict, the best K, and what held it back.
//
// Two ways to price a round. c and v are medians in target passes over one token, the symbols of the papers (means
// where a coarse clock shows 0 for most rounds). `cost` is the plain sum, overhead included, in steps of the target
// alone (ms a token of the vanilla lane), so tokens a round ÷ cost is the measured speedup to the last digit.
// `replay`, of states that cannot be cut, is part of c, v and the rest. The formulas: specviz/acceptance.py.

import { median, sum, timed } from "../trace/events.js";
import { depths } from "../trace/tree.js";
import { best, draftSteps, threeWays, verifyCost } from "./positions.js";
import { fastest, firsts, measured } from "./shapes.js";

/** @import { Config, Header, Round } from "../trace/types.js" */
/** @typedef {"alpha" | "undrafted" | "c" | "v" | "rest"} Cause */

const WORTH = 0.05; // what holds a run back by less is not worth a sentence

/**
 * All of it, or `missing`: the reason why there is nothing to tell.
 * @param {Header} header @param {Round[]} vanilla @param {Round[]} speculative
 * @param {import("../shared/types.js").About} about `most`: the largest K
 * @param {[number, number] | null} sure the interval of the measured speedup; without one times are taken as exact
 */
export function account({ config, draft, drafter }, vanilla, speculative, about, sure) {
  const blocks = speculative.filter(({ drafted }) => drafted.length);
  if (!(config.K && draft)) return { missing: "zero" };
  if (!vanilla.length || !speculative.length) return { missing: "lane" };
  if (!blocks.length) return { missing: "undrafted" };
  if ([...vanilla, ...speculative].some(({ times }) => times.draft === null || times.verify === null))
    return { missing: "untold" };
  const step = usual(vanilla.map(({ times }) => times.verify ?? 0));
  if (!step || ![vanilla, speculative].every((lane) => sum(lane.map(timed)) > 0)) return { missing: "clock" };
  const block = Math.max(...blocks.map(({ drafted }) => drafted.length));
  if ((config.tree ?? "off") !== "off") return { missing: "tree", ...ofTrees(vanilla, speculative, step, block) };
  const atOnce = drafter !== null && about.at_once.includes(drafter);
  const stepsOf = (/** @type {Round} */ { drafted }) => draftSteps(drafted.length, atOnce);
  const c = usual(blocks.map((round) => (round.times.draft ?? 0) / stepsOf(round))) / step;
  const longest = blocks.filter(({ drafted }) => drafted.length === block);
  const v = median(longest.map(({ times }) => times.verify ?? 0)) / step;
  const tokens = sum(speculative.map(({ emitted }) => emitted.length)) / speculative.length;
  const drafted = sum(speculative.map(({ drafted }) => drafted.length)) / speculative.length;
  const alpha = alphaOf(config, blocks);
  const steps = sum(speculative.map(stepsOf)) / speculative.length;
  const predicted = tokens / (steps * c + verifyCost(drafted, v, block));
  const real = tokens / costOf(vanilla, speculative).all;
  return {
    missing: null,
    c,
    v,
    block,
    tokens,
    drafted,
    steps,
    predicted,
    measured: real,
    of_predicted: real / predicted,
    replay: sum(speculative.map(({ times }) => times.replay ?? 0)) / speculative.length / step,
    alpha,
    tokens_by: threeWays(blocks, alpha),
    ...best(blocks, c, v, block, about.most, atOnce),
    why: why(vanilla, speculative, tokens, drafted, config, sure ?? [real, real]),
  };
}

/** @param {number[]} values */
const usual = (values) => median(values) || sum(values) / values.length;

/**
 * Of a run of trees, whose draft makes a pass for each level: c of a level, v of the largest tree; the best tree and
 * the best chain of at most as many tokens, by acceptance at each depth and rank, at the price that levels had here.
 * @param {Round[]} vanilla @param {Round[]} speculative @param {number} step @param {number} block
 */
function ofTrees(vanilla, speculative, step, block) {
  const blocks = speculative.filter(({ drafted }) => drafted.length);
  const levels = blocks.map(({ drafted }) => Math.max(...depths(drafted)));
  const c = median(blocks.map(({ times }, i) => (times.draft ?? 0) / levels[i])) / step;
  const v =
    median(blocks.filter(({ drafted }) => drafted.length === block).map(({ times }) => times.verify ?? 0)) / step;
  const tokens = sum(speculative.map(({ emitted }) => emitted.length)) / speculative.length;
  const drafted = sum(blocks.map((round) => round.drafted.length)) / speculative.length;
  const steps = sum(levels) / speculative.length;
  const passes = Array.from({ length: block + 1 }, (_, n) => verifyCost(n, v, block));
  const predicted = tokens / (steps * c + verifyCost(drafted, v, block));
  const cost = costOf(vanilla, speculative);
  const share = measured(blocks);
  const shape = (/** @type {number[][]} */ some) => {
    const { guesses, passes: deep, speed } = fastest(some, block, c, passes);
    return { nodes: guesses, levels: deep, speedup: speed };
  };
  const best = { best_tree: shape(share), best_chain: shape(firsts(share)) };
  return { c, v, block, tokens, steps, cost, predicted, of_predicted: tokens / cost.all / predicted, ...best };
}

/** Whether a block may be short because that was thought to pay. @param {Config} config */
export const chooses = (config) => config.adaptive || config.confidence > 0 || config.survival > 0;

/** The chance that a draft token is kept: the mean of β where it says so, else (greedy, another rule, unobserved) what
 * was counted.
 * @param {Config} config @param {Round[]} blocks */
function alphaOf(config, blocks) {
  const tested = blocks.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict !== "unexamined");
  const betas = tested.flatMap(({ position }) => (position && position.beta !== null ? [position.beta] : []));
  if (betas.length && config.verifier === "rejection" && config.temperature > 0) return sum(betas) / betas.length;
  return tested.length ? tested.filter(({ verdict }) => verdict === "accepted").length / tested.length : null;
}

/** A round's time in steps of the target alone: draft, verify and the rest (decide too), and all of it.
 * @param {Round[]} vanilla @param {Round[]} speculative */
function costOf(vanilla, speculative) {
  const step = sum(vanilla.map(timed)) / sum(vanilla.map(({ emitted }) => emitted.length));
  const of = (/** @type {(times: Round["times"]) => number} */ part) =>
    sum(speculative.map(({ times }) => part(times))) / speculative.length / step;
  const cost = {
    draft: of((times) => times.draft ?? 0),
    verify: of((times) => times.verify ?? 0),
    rest: of((times) => (times.decide ?? 0) + times.rest),
  };
  return { ...cost, all: cost.draft + cost.verify + cost.rest };
}

/** What a speedup may be called that lies between these. @param {number} low @param {number} high */
export const called = (low, high) => (low > 1 ? "faster" : high < 1 ? "slower" : "level");

/**
 * What a round brought and cost, and the one thing without which the run would have gained most: named if that gain,
 * and its lead over the next, are more than what the speedup is unsure by. A block that was chosen to be short is no
 * loss.
 * @param {Round[]} vanilla @param {Round[]} speculative @param {number} tokens @param {number} drafted
 * @param {Config} config @param {[number, number]} sure
 */
function why(vanilla, speculative, tokens, drafted, config, sure) {
  const cost = costOf(vanilla, speculative);
  const alone = costOf(vanilla, vanilla);
  const speedup = tokens / cost.all;
  const most = config.K;
  const less = (/** @type {"draft" | "verify" | "rest"} */ part, /** @type {number} */ least) =>
    cost.all / Math.max(1e-9, cost.all - Math.max(0, cost[part] - least));
  /** @type {Record<Cause, number>} how many times as fast the run would be if this were as good as it can be */
  const without = {
    alpha: (drafted + 1) / tokens,
    undrafted: chooses(config) ? 1 : (most + 1) / (drafted + 1),
    c: less("draft", 0),
    v: less("verify", alone.verify),
    rest: less("rest", alone.rest),
  };
  const causes = /** @type {Cause[]} */ (Object.keys(without)).sort((a, b) => without[a] - without[b]);
  const [second, limit] = causes.slice(-2);
  const unsure = Math.max(sure[1] / speedup, speedup / sure[0]);
  const named = without[limit] >= Math.max(1 + WORTH, unsure) && without[limit] >= unsure * without[second];
  const kept = speculative.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict === "accepted");
  return {
    kind: called(...sure),
    tokens,
    cost,
    kept: kept.length / speculative.length,
    most,
    empty: speculative.filter(({ drafted }) => !drafted.length).length,
    rounds: speculative.length,
    limit: named ? limit : null,
    without: without[limit],
  };
}
