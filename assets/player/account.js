// What was counted and timed in a run, and where its speed comes from: c, v, the speedup they predict, the best K or tree,
// and what held it back. Counts are made anew from the rounds, so that a lane stopped half-way has the same numbers as a
// whole one.
//
// Two ways to price a round. c and v are medians in target passes over one token, the symbols of the papers (means
// where a coarse clock shows 0 for most rounds). `cost` is the plain sum, overhead included, in steps of the target
// alone (ms a token of the vanilla lane), so tokens a round ÷ cost is the measured speedup to the last digit.
// `replay`, of states that cannot be cut, is part of c, v and the rest. The formulas: specviz/acceptance.py.

import {
  branches,
  children,
  clippedToken,
  decodedRounds,
  depths,
  expectedTokens,
  LANES,
  median,
  pathByDepth,
  ratio,
  roundMs,
  roundsOf,
  short,
  sum,
  tokensOf,
  usualMs,
} from "../trace/events.js";

/** @import { Sign } from "../trace/events.js" */
/** @import { Config, Finished, Header, Prefill, Round, Trace } from "../trace/types.js" */

const FEW = 5; // a position or a depth that was tested less often than this was not measured, but for the first

// Acceptance by depth and rank of drafted trees, and what follows from it: tokens a round of any shape, the best tree
// and the best chain within a budget.

/** @typedef {{ tokens: number, passes: number }} Shape tokens of a round on average; passes of the draft for it */

/** By depth and rank the chance to be kept where the parent is, down to the last depth that was reached often enough.
 * @param {Round[]} rounds @returns {number[][]} */
export function acceptanceByRank(rounds) {
  /** @type {{ tested: number, accepted: number }[][]} */
  const counts = [];
  for (const { drafted } of rounds) {
    const below = children(drafted);
    for (let at = -1, depth = 0; at >= -1 && below[at + 1].length; depth++) {
      const verdicts = below[at + 1].map((i) => drafted[i].verdict);
      if (verdicts.every((verdict) => verdict === "unexamined")) break;
      const rank = verdicts.indexOf("accepted");
      counts[depth] ??= [];
      for (const i of verdicts.keys()) {
        counts[depth][i] ??= { tested: 0, accepted: 0 };
        counts[depth][i].tested++;
        if (i === rank) counts[depth][i].accepted++;
      }
      at = rank < 0 ? -2 : below[at + 1][rank];
    }
  }
  const reached = counts.filter(([first], depth) => !depth || first.tested >= FEW);
  return reached.map((ranks) => ranks.map(({ tested, accepted }) => accepted / tested));
}

/** Of all trees of at most n guesses the one with the most tokens a round: a guess is never likelier than the one
 * before it, so the likeliest are taken one after the other. With one rank it is a chain. @param {number[][]} share by
 * depth and rank, the chance to be accepted if the parent is @param {number} n @returns {Shape} */
export function bestShape(share, n) {
  const open = [{ chance: 1, depth: 0 }];
  const shape = { tokens: 0, passes: 0 };
  for (let count = 0; count <= n && open.length; count++) {
    const at = open.reduce((most, one, i) => (one.chance > open[most].chance ? i : most), 0);
    const [{ chance, depth }] = open.splice(at, 1);
    if (depth > shape.passes) shape.passes = depth;
    shape.tokens += chance; // the text itself stands for the last token of a round, which is sure
    open.push(...(share[depth] ?? []).map((part) => ({ chance: chance * part, depth: depth + 1 })));
  }
  return shape;
}

/** @param {number[][]} share @param {number} n */
export const chainOf = (share, n) => bestShape(firstRanks(share), n);

/** Tokens in the time of one pass over one token: a round costs its draft passes and one pass over n + 1 positions.
 * @param {Shape} shape @param {number} c @param {number} v */
export const speedOf = ({ tokens, passes }, c, v) => tokens / (c * passes + v);

/** The fastest of all shapes within n guesses: it may use fewer, and be less deep. @param {number[][]} share
 * @param {number} n @param {number} c @param {number[]} v of a pass over 1, 2, … tokens */
export function fastestShape(share, n, c, v) {
  let fastest = { guesses: 0, passes: 0, speed: speedOf({ tokens: 1, passes: 0 }, c, v[0]) };
  for (let guesses = 1; guesses <= n; guesses++) {
    for (let depth = 1; depth <= share.length; depth++) {
      const shape = bestShape(share.slice(0, depth), guesses);
      const speed = speedOf(shape, c, v[guesses]);
      if (speed > fastest.speed) fastest = { guesses, passes: shape.passes, speed };
    }
  }
  return fastest;
}

/** The first choices alone. @param {number[][]} share */
export const firstRanks = (share) => share.map(([first]) => [first]);

// Acceptance by position in the block, and what follows from it: tokens a round, and the K that pays most. α alone
// promises too much: it takes acceptances for independent, and later positions of a block keep less.

const MARGIN = 2; // positions past the last measured one that a best K may reach

/** For each position of a block: in how many it was drafted, reached (tested) and accepted; `given_reached` = accepted
 * ÷ reached, `of_blocks` = accepted ÷ all blocks, which vLLM prints. A position of a tree is a depth.
 * @param {Round[]} rounds */
export function byPosition(rounds) {
  const drafting = rounds.filter(({ drafted }) => drafted.length);
  const blocks = drafting.map((round) => (branches(round) ? pathByDepth(round.drafted) : round.drafted));
  const longest = Math.max(0, ...blocks.map(({ length }) => length));
  return Array.from({ length: longest }, (_, i) => {
    const verdicts = blocks.filter(({ length }) => length > i).map((block) => block[i].verdict);
    const accepted = verdicts.filter((verdict) => verdict === "accepted").length;
    const reached = accepted + verdicts.filter((verdict) => verdict === "rejected").length;
    return {
      position: i + 1,
      drafted: verdicts.length,
      reached,
      accepted,
      given_reached: ratio(accepted, reached),
      of_blocks: ratio(accepted, blocks.length),
    };
  });
}

/** Tokens a round as `alpha` promises, as the positions do, as measured, each at the blocks' own lengths.
 * @param {Round[]} rounds @param {number | null} alpha */
export function threeWays(rounds, alpha) {
  const blocks = rounds.filter(({ drafted }) => drafted.length);
  const n = blocks.length;
  if (!n) return { alpha: null, positions: null, measured: null };
  const chances = byPosition(blocks).map(({ given_reached }) => given_reached ?? 0);
  return {
    alpha: alpha === null ? null : sum(blocks.map(({ drafted }) => expectedTokens(alpha, drafted.length))) / n,
    positions: sum(blocks.map(({ drafted }) => tokensOf(chances, drafted.length))) / n,
    measured: sum(blocks.map(({ emitted }) => emitted.length)) / n,
  };
}

/** The K from 0, where drafting does not pay, to MARGIN past what was measured with the largest speedup that its
 * positions promise. Past the last measured one a token is taken to be kept as seldom as at the worst before. `reach`:
 * the largest K that was asked about. @param {Round[]} rounds @param {number} c @param {number} v @param {number} block
 * @param {number} limit @param {boolean} [atOnce] c is that of a whole block */
export function bestK(rounds, c, v, block, limit, atOnce = false) {
  const reachedPositions = byPosition(rounds).filter(({ reached }) => reached);
  if (!reachedPositions.length) return { best_K: null, best_speedup: null, best_measured: null, best_reach: null };
  const measuredCount = Math.max(1, ...reachedPositions.filter(({ reached }) => reached >= FEW).map(({ position }) => position));
  const chances = reachedPositions.slice(0, measuredCount).map(({ given_reached }) => given_reached ?? 0);
  const reach = Math.min(limit, measuredCount + MARGIN);
  chances.push(Math.min(...chances));
  const byK = Array.from(
    { length: reach + 1 },
    (_, K) => tokensOf(chances, K) / (draftSteps(K, atOnce) * c + verifyCost(K, v, block)),
  );
  const pays = byK.indexOf(Math.max(...byK));
  return { best_K: pays, best_speedup: byK[pays], best_measured: Math.min(measuredCount, limit), best_reach: reach };
}

/** Steps of the draft for a block of K: one a token, or one for all. @param {number} K @param {boolean} atOnce */
const draftSteps = (K, atOnce) => (atOnce ? Math.min(K, 1) : K);

/** A target pass over `drafted` + 1 tokens, in passes over one: a line from 1 through v at `block` + 1, on a GPU perhaps
 * downwards, as it was measured; past the block it falls no further.
 * @param {number} drafted @param {number} v @param {number} block */
export const verifyCost = (drafted, v, block) => 1 + ((v - 1) * (v < 1 ? Math.min(drafted, block) : drafted)) / block;

/** @typedef {"alpha" | "undrafted" | "c" | "v" | "rest"} Cause */

const LEAST_GAIN = 0.05; // what holds a run back by less is not worth a sentence

/** All of it, or `missing`: the reason why there is nothing to tell. @param {Header} header @param {Round[]} vanilla
 * @param {Round[]} speculative @param {import("../shared/types.js").About} about `most`: the largest K
 * @param {[number, number] | null} bounds the interval of the measured speedup; without one times are taken as exact */
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

/** Of a run of trees the best tree and the best chain of at most as many tokens, by acceptance at each depth and rank,
 * at the price that levels had here. @param {Round[]} blocks @param {number} block @param {number} c of a level
 * @param {number} v of the largest tree */
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
 * was counted. @param {Config} config @param {Round[]} blocks */
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
const speedupKind = (low, high) => (low > 1 ? "faster" : high < 1 ? "slower" : "level");

/** What a round brought and cost, and the one thing without which the run would have gained most: named if that gain,
 * and its lead over the next, are more than what the speedup is unsure by. A block that was chosen to be short is no
 * loss. @param {Round[]} vanilla @param {Round[]} speculative
 * @param {{ tokens: number, cost: ReturnType<typeof costOf> }} round @param {number} drafted @param {Config} config
 * @param {[number, number]} bounds */
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
  const isClear = withoutLoss[limit] >= Math.max(1 + LEAST_GAIN, unsure) && withoutLoss[limit] >= unsure * withoutLoss[second];
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

// How sure a speedup is: an interval around it, from its repeats, or from the rounds of the one run there is.
//
// Repeats are whole runs of both lanes with the same tokens: the interval is the lowest and the highest of all. Where
// there are fewer than ENOUGH, it is widened by the standard errors of both lanes' times. Stretches of neighbours are
// compared (Künsch 1989), since a machine that is slow now is slow for a while, and each round with what one of its size
// usually takes: so which tokens were accepted, the luck of the seed, moves nothing. What slowed a whole lane is seen by
// repeats only.

/** @typedef {{ low: number, high: number, runs: number }} Interval */

const ENOUGH_REPEATS = 5; // the middle one of all runs lies between the ends of so many with chance 15/16
const DEVIATIONS = 1.96; // standard errors, between which 95 % of a normal distribution lie
const T_MORE = 1.21; // of them, ÷ degrees of freedom, in Student's t beside that (the first term of its expansion)

/** Around `speedup`, which is that of the events of the trace. @param {Trace} trace @param {number} speedup
 * @returns {Interval} */
export function speedupInterval({ header, vanilla, speculative }, speedup) {
  const times = header.repeats.map((repeat) => [repeat.vanilla.decode_ms, repeat.speculative.decode_ms]);
  const ratios = times.filter(([a, b]) => a > 0 && b > 0).map(([a, b]) => a / b);
  const lanes = [vanilla, speculative].map(decodedRounds);
  const [a, b] = lanes.map((rounds) => sum(rounds.map(roundMs))); // lanes that were sampled may differ in length
  const speedups = [speedup, ...(a && b ? ratios.map((ratio) => (ratio * speedup * b) / a) : [])];
  if (ratios.length < ENOUGH_REPEATS) {
    const wide = Math.exp(Math.hypot(...lanes.map(timeMargin))); // a ratio's errors are those of its logarithm
    speedups.push(speedup / wide, speedup * wide);
  }
  return { low: Math.min(...speedups), high: Math.max(...speedups), runs: Math.max(1, times.length) };
}

/** How far a lane's time may be off, in units of it, with 95 %: by how far all stretches of √n of its n rounds, the last of
 * which has the first as its neighbour, lie from what is usual; there are n / √n apart from each other. @param {Round[]} rounds */
function timeMargin(rounds) {
  const [usual, n] = [usualMs(rounds), rounds.length];
  const [whole, wholeAsUsual] = [sum(rounds.map(roundMs)), sum(usual)];
  if (!whole || !wholeAsUsual || n < 2) return 0;
  const errors = rounds.map((round, i) => roundMs(round) - (usual[i] * whole) / wholeAsUsual);
  const stretch = Math.floor(Math.sqrt(n));
  const stretches = errors.map((_, i) => sum([...errors, ...errors].slice(i, i + stretch)));
  const freedom = n / stretch - 1;
  const variance = (sum(stretches.map((error) => error ** 2)) / n) * ((freedom + 1) ** 2 / freedom);
  return (DEVIATIONS * (1 + T_MORE / freedom) * Math.sqrt(variance)) / whole;
}

/** @typedef {{ numbers: ReturnType<typeof laneNumbers>, stopped: { reason: string } | null }} Lane */

const APART = 1.1; // beyond which processor time and a quiet clock seldom part (docs/benchmarks/*-clocks*.json)
const UNFINISHED = ["cancelled", "error"];

/** Counted again from the rounds. @param {Prefill | undefined} prefill @param {Round[]} rounds
 * @param {Finished | undefined} finished @param {number} decodeMs */
export function laneNumbers(prefill, rounds, finished, decodeMs) {
  const passes = decodedRounds(rounds);
  const tokens = sum(rounds.map(({ emitted }) => emitted.length));
  const decoded = sum(passes.map(({ emitted }) => emitted.length));
  const drafted = rounds.flatMap(({ drafted }) => drafted);
  const examined = drafted.filter(({ verdict }) => verdict !== "unexamined");
  const accepted = drafted.filter(({ verdict }) => verdict === "accepted").length;
  const first = examined.filter(({ rank }) => !rank); // a sibling is tested against what is left of p
  const betas = first.flatMap(({ position }) => (position && position.beta !== null ? [position.beta] : []));
  const last = rounds.length ? rounds[rounds.length - 1] : null;
  const target = last ? last.target_forwards : 0;
  const prefillMs = prefill ? total([prefill.target_ms, prefill.draft_ms]) : 0;
  const full = finished && ["length", "context"].includes(finished.reason);
  const parts = /** @type {const} */ (["draft", "verify", "decide", "rest"]);
  return {
    tokens,
    rounds: rounds.length,
    decode_ms: short(decodeMs),
    prefill_ms: short(prefillMs),
    observe_ms: short(sum(rounds.map(({ times }) => times.observe))),
    capture_ms: short(finished ? finished.capture_ms : 0),
    eager: finished ? finished.eager : "",
    tokens_per_second: ratio(1000 * decoded, decodeMs),
    tokens_per_second_end_to_end: tokens && prefillMs !== null ? ratio(1000 * tokens, decodeMs + prefillMs) : null,
    target_forwards: target,
    draft_forwards: last ? last.draft_forwards : 0,
    tokens_per_forward: ratio(decoded, target),
    tokens_per_round: ratio(decoded, passes.length),
    drafted: drafted.length,
    drafted_per_round: ratio(drafted.length, passes.length),
    undrafted: (full ? passes.slice(0, -1) : passes).filter(({ drafted }) => !drafted.length).length,
    draft_full: rounds.filter(({ fewer }) => fewer === "context").length,
    tested: examined.length,
    accepted,
    accepted_of_drafted: ratio(accepted, drafted.length),
    accepted_of_tested: ratio(accepted, examined.length),
    alpha: ratio(sum(betas), betas.length),
    alpha_positions: betas.length,
    by_position: byPosition(rounds),
    split: Object.fromEntries(parts.map((part) => [part, short(total(passes.map(({ times }) => times[part])))])),
  };
}

/** Of what was told; null where nothing was, and nothing is 0 where nothing was done.
 * @param {(number | null)[]} parts */
function total(parts) {
  const numbers = parts.filter((part) => part !== null);
  return numbers.length || !parts.length ? sum(numbers) : null;
}

/** What prefill and `n` tokens of a lane take. @param {Lane["numbers"]} numbers @param {number} n */
const endToEndMs = ({ prefill_ms, decode_ms, tokens }, n) =>
  prefill_ms === null || decode_ms === null || !tokens ? null : prefill_ms + (decode_ms * n) / tokens;

/** The two lanes side by side; null unless both began. @param {Trace} trace as it is timed @param {Lane | null} vanilla
 * @param {Lane | null} speculative @param {Sign[]} disturbed what speaks against the machine's clock
 * @param {"wall" | "processor" | null} clock by which it is timed; null: its times are withheld. `logits`: where greedy lanes
 * part, those of both tokens, by a pass over one token and by the block's */
export function comparisonOf(trace, vanilla, speculative, disturbed, clock) {
  if (!vanilla || !speculative) return null;
  const [a, b] = [vanilla.numbers, speculative.numbers];
  const tokens = [trace.vanilla, trace.speculative].map((lane) =>
    roundsOf(lane).flatMap(({ emitted }) => emitted.map(({ token }) => token)),
  );
  const ids = tokens.map((lane) => lane.map(({ id }) => id));
  const least = Math.min(ids[0].length, ids[1].length);
  const first = ids[0].findIndex((id, i) => i < least && id !== ids[1][i]);
  const common = first < 0 ? least : first;
  const parts = common < least;
  const speedup = ratio(b.tokens_per_second, a.tokens_per_second);
  const wide = { low: (speedup ?? 0) / APART, high: (speedup ?? 0) * APART, runs: 1 };
  const alone = clock === "processor" && trace.header.repeats.length < 2; // what its rounds took is not known
  const { divergence } = trace.header;
  const logits = /** @type {const} */ (["alone", "block"]).flatMap((way) =>
    LANES.map((lane) => [`${way}_${lane}`, short(divergence?.[way][lane])]),
  );
  const range = speedup ? (alone ? wide : speedupInterval(trace, speedup)) : null;
  return {
    speedup,
    low: short(range?.low),
    high: short(range?.high),
    runs: range ? range.runs : 0,
    often: Boolean(range && range.runs >= ENOUGH_REPEATS),
    kind: range && (!clock ? "disturbed" : trace.header.config.K ? speedupKind(range.low, range.high) : "alike"),
    clock,
    disturbed: disturbed.map((sign) => ({ ...sign, value: short(sign.value) })),
    // with prefill, of as many tokens as both have: else the lane that wrote more would spread its prefill over more
    speedup_end_to_end: ratio(endToEndMs(a, least), endToEndMs(b, least)),
    whole: [vanilla, speculative].every(({ stopped }) => stopped && !UNFINISHED.includes(stopped.reason)),
    same: String(ids[0]) === String(ids[1]),
    common,
    parts,
    parted: parts ? tokens.map((lane) => clippedToken(lane[common])) : null,
    greedy: trace.header.config.temperature === 0,
    logits: divergence && Object.fromEntries(logits),
  };
}
