// Acceptance by depth and rank of drafted trees, and what follows from it: tokens a round of any shape, the best tree
// and the best chain within a budget.

import { children } from "../trace/tree.js";

/** @import { Round } from "../trace/types.js" */
/** @typedef {{ tokens: number, passes: number }} Shape tokens of a round on average; passes of the draft for it */

const FEW = 5; // a depth that was reached less often than this was not measured, but for the first

/**
 * By depth and rank the chance to be kept where the parent is, down to the last depth that was reached often enough.
 * @param {Round[]} rounds @returns {number[][]}
 */
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

/**
 * Of all trees of at most n guesses the one with the most tokens a round: a guess is never likelier than the one before
 * it, so the likeliest are taken one after the other. With one rank it is a chain.
 * @param {number[][]} share by depth and rank, the chance to be accepted if the parent is @param {number} n
 * @returns {Shape}
 */
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

/**
 * Tokens in the time of one pass over one token: a round costs its draft passes and one pass over n + 1 positions.
 * @param {Shape} shape @param {number} c @param {number} v
 */
export const speedOf = ({ tokens, passes }, c, v) => tokens / (c * passes + v);

/**
 * The fastest of all shapes within n guesses: it may use fewer, and be less deep.
 * @param {number[][]} share @param {number} n @param {number} c @param {number[]} v of a pass over 1, 2, … tokens
 */
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
