// Acceptance by position in the block, and what follows from it: tokens a round, and the K that pays most. α alone
// promises too much: it takes acceptances for independent, and later positions of a block keep less.

import { expectedTokens, sum, tokensOf } from "../trace/events.js";
import { branches, pathByDepth } from "../trace/tree.js";
import { ratio } from "./plain.js";

/** @import { Round } from "../trace/types.js" */

const FEW = 5; // a position that was tested less often than this was not measured, but for the first
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
  const measured = Math.max(
    1,
    ...reachedPositions.filter(({ reached }) => reached >= FEW).map(({ position }) => position),
  );
  const chances = reachedPositions.slice(0, measured).map(({ given_reached }) => given_reached ?? 0);
  const reach = Math.min(limit, measured + MARGIN);
  chances.push(Math.min(...chances));
  const byK = Array.from(
    { length: reach + 1 },
    (_, K) => tokensOf(chances, K) / (draftSteps(K, atOnce) * c + verifyCost(K, v, block)),
  );
  const pays = byK.indexOf(Math.max(...byK));
  return { best_K: pays, best_speedup: byK[pays], best_measured: Math.min(measured, limit), best_reach: reach };
}

/** Steps of the draft for a block of K: one a token, or one for all. @param {number} K @param {boolean} atOnce */
export const draftSteps = (K, atOnce) => (atOnce ? Math.min(K, 1) : K);

/** A target pass over `drafted` + 1 tokens, in passes over one: a line from 1 through v at `block` + 1. Never below 1:
 * a longer pass that was measured cheaper than a short one is noise.
 * @param {number} drafted @param {number} v @param {number} block */
export const verifyCost = (drafted, v, block) => 1 + (Math.max(0, v - 1) * drafted) / block;
