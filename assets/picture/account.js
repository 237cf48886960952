// Where the speed of a run comes from: c, v, the speedup they predict, the best K, and what held it back.
//
// Two ways to price a round. c and v are medians in target passes over one token, the symbols of the papers (means
// where a coarse clock shows 0 for most rounds). `cost` is the plain sum, overhead included, in steps of the target
// alone (ms a token of the vanilla lane), so tokens a round ÷ cost is the measured speedup to the last digit.
// `replay`, of states that cannot be cut, is part of c, v and the rest. The formulas: specviz/acceptance.py.

import { median, roundMs, sum } from "../trace/events.js";
import { depths } from "../trace/tree.js";
import { bestK, draftSteps, threeWays, verifyCost } from "./positions.js";
import { acceptanceByRank, fastestShape, firstRanks } from "./shapes.js";

/** @import { Config, Header, Round } from "../trace/types.js" */
/** @typedef {"alpha" | "undrafted" | "c" | "v" | "rest"} Cause */

const LEAST_GAIN = 0.05; // what holds a run back by less is not worth a sentence

/**
 * All of it, or `missing`: the reason why there is nothing to tell.
 * @param {Header} header @param {Round[]} vanilla @param {Round[]} speculative
 * @param {import("../shared/types.js").About} about `most`: the largest K
 * @param {[number, number] | null} bounds the interval of the measured speedup; without one times are taken as exact
 */
export function account({ config, draft, drafter }, vanilla, speculative, about, bounds) {
  const blocks = speculative.filter(({ drafted }) => drafted.length);
  if (!(config.K && draft)) return { missing: "zero" };
  if (!vanilla.length || !speculative.length) return { missing: "lane" };
  if (!blocks.length) return { missing: "undrafted" };
  if ([...vanilla, ...speculative].some(({ times }) => times.draft === null || times.verify === null))
    return { missing: "untold" };
  const step = medianOrMean(vanilla.map(({ times }) => times.verify ?? 0));
  if (!step || ![vanilla, speculative].every((lane) => sum(lane.map(roundMs)) > 0)) return { missing: "clock" };
  const block = Math.max(...blocks.map(({ drafted }) => drafted.length));
  const hasTrees = (config.tree ?? "off") !== "off";
  const atOnce = drafter !== null && about.one_pass.includes(drafter);
  const stepsOf = (/** @type {Round} */ { drafted }) =>
    hasTrees ? Math.max(0, ...depths(drafted)) : draftSteps(drafted.length, atOnce); // a tree has one for each level
  const c = medianOrMean(blocks.map((round) => (round.times.draft ?? 0) / stepsOf(round))) / step;
  const longest = blocks.filter(({ drafted }) => drafted.length === block);
  const v = median(longest.map(({ times }) => times.verify ?? 0)) / step;
  const perRound = (/** @type {(round: Round) => number} */ part) => sum(speculative.map(part)) / speculative.length;
  const tokens = perRound(({ emitted }) => emitted.length);
  const drafted = perRound(({ drafted }) => drafted.length);
  const steps = perRound(stepsOf);
  const predicted = tokens / (steps * c + verifyCost(drafted, v, block));
  const cost = costOf(vanilla, speculative);
  const measured = tokens / cost.all;
  const both = { c, v, block, tokens, steps, cost, predicted, of_predicted: measured / predicted };
  if (hasTrees) return { missing: "tree", ...both, ...bestShapes(blocks, block, c, v) };
  const alpha = alphaOf(config, blocks);
  return {
    missing: null,
    ...both,
    drafted,
    measured,
    replay: perRound(({ times }) => times.replay ?? 0) / step,
    alpha,
    tokens_by: threeWays(blocks, alpha),
    ...bestK(blocks, c, v, block, about.most, atOnce),
    why: limitation(vanilla, speculative, both, drafted, config, bounds ?? [measured, measured]),
  };
}

/** @param {number[]} values */
const medianOrMean = (values) => median(values) || sum(values) / values.length;

/**
 * Of a run of trees the best tree and the best chain of at most as many tokens, by acceptance at each depth and rank,
 * at the price that levels had here.
 * @param {Round[]} blocks @param {number} block @param {number} c of a level @param {number} v of the largest tree
 */
function bestShapes(blocks, block, c, v) {
  const passCosts = Array.from({ length: block + 1 }, (_, n) => verifyCost(n, v, block));
  const share = acceptanceByRank(blocks);
  const shape = (/** @type {number[][]} */ shares) => {
    const { guesses, passes, speed } = fastestShape(shares, block, c, passCosts);
    return { nodes: guesses, levels: passes, speedup: speed };
  };
  return { best_tree: shape(share), best_chain: shape(firstRanks(share)) };
}

/** Whether a block may be short because that was thought to pay. @param {Config} config */
export const choosesLength = (config) => config.adaptive || config.confidence > 0 || config.survival > 0;

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
  const step = sum(vanilla.map(roundMs)) / sum(vanilla.map(({ emitted }) => emitted.length));
  const perRound = (/** @type {(times: Round["times"]) => number} */ part) =>
    sum(speculative.map(({ times }) => part(times))) / speculative.length / step;
  const cost = {
    draft: perRound((times) => times.draft ?? 0),
    verify: perRound((times) => times.verify ?? 0),
    rest: perRound((times) => (times.decide ?? 0) + times.rest),
  };
  return { ...cost, all: cost.draft + cost.verify + cost.rest };
}

/** What a speedup may be called that lies between these. @param {number} low @param {number} high */
export const speedupKind = (low, high) => (low > 1 ? "faster" : high < 1 ? "slower" : "level");

/**
 * What a round brought and cost, and the one thing without which the run would have gained most: named if that gain,
 * and its lead over the next, are more than what the speedup is unsure by. A block that was chosen to be short is no
 * loss.
 * @param {Round[]} vanilla @param {Round[]} speculative
 * @param {{ tokens: number, cost: ReturnType<typeof costOf> }} round
 * @param {number} drafted @param {Config} config @param {[number, number]} bounds
 */
function limitation(vanilla, speculative, { tokens, cost }, drafted, config, bounds) {
  const alone = costOf(vanilla, vanilla);
  const speedup = tokens / cost.all;
  const most = config.K;
  const withoutCost = (/** @type {"draft" | "verify" | "rest"} */ part, /** @type {number} */ least) =>
    cost.all / Math.max(1e-9, cost.all - Math.max(0, cost[part] - least));
  /** @type {Record<Cause, number>} how many times as fast the run would be if this were as good as it can be */
  const withoutLoss = {
    alpha: (drafted + 1) / tokens,
    undrafted: choosesLength(config) ? 1 : (most + 1) / (drafted + 1),
    c: withoutCost("draft", 0),
    v: withoutCost("verify", alone.verify),
    rest: withoutCost("rest", alone.rest),
  };
  const causes = /** @type {Cause[]} */ (Object.keys(withoutLoss)).sort((a, b) => withoutLoss[a] - withoutLoss[b]);
  const [second, limit] = causes.slice(-2);
  const unsure = Math.max(bounds[1] / speedup, speedup / bounds[0]);
  const isClear =
    withoutLoss[limit] >= Math.max(1 + LEAST_GAIN, unsure) && withoutLoss[limit] >= unsure * withoutLoss[second];
  const tested = speculative.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict !== "unexamined");
  const accepted = tested.filter(({ verdict }) => verdict === "accepted");
  return {
    kind: speedupKind(...bounds),
    tokens,
    cost,
    kept: accepted.length / speculative.length,
    share: tested.length ? accepted.length / tested.length : null,
    most,
    empty: speculative.filter(({ drafted }) => !drafted.length).length,
    rounds: speculative.length,
    limit: isClear ? limit : null,
    without: withoutLoss[limit],
  };
}
