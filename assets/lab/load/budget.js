// A budget of checked positions: one pass over several texts verifies N drafted tokens of theirs. Which ones, how many
// tokens that gives in recorded rounds, and what it takes by passes that were measured or calculated.

import { sum } from "../../trace/events.js";

/** @import { Passes } from "../../shared/hardware.js" */

/**
 * Recorded rounds of one text (scripts/picture_data.py). `q`: by round the draft's chance of each of K tokens; `accepted`: by
 * round how many of them the target accepted.
 * @typedef {{ prompt: string, q: number[][], accepted: number[] }} Text
 */
/** @typedef {{ target: string, draft: string, temperature: number, K: number, texts: Text[] }} Recorded */
/** @typedef {{ tokens: number, ms: number, pace: number }} Gain tokens and ms of a pass on average; tokens/s of all */

/** As many positions for each text, as far as N goes. @param {number} N @param {number} texts */
export const evenShares = (N, texts) =>
  Array.from({ length: texts }, (_, i) => Math.floor((N + texts - 1 - i) / texts));

/** For each position of a block the product of the draft's chances up to it. @param {number[]} q */
export function pathChances(q) {
  let chance = 1;
  return q.map((q_x) => {
    chance *= q_x;
    return chance;
  });
}

/**
 * Texts in the order in which a larger budget gives them one more position: the largest product of chances first. A
 * product never grows along a block, so the positions of a text come from left to right.
 * @param {number[][]} blocks q of each text @returns {number[]}
 */
export function orderByChance(blocks) {
  const places = blocks.flatMap((q, text) => pathChances(q).map((chance, depth) => ({ text, depth, chance })));
  places.sort((a, b) => b.chance - a.chance || a.depth - b.depth || a.text - b.text);
  return places.map(({ text }) => text);
}

/** The first N of an order, counted by text. @param {number[]} order @param {number} N @param {number} texts */
export function sharesByChance(order, N, texts) {
  const counts = Array.from({ length: texts }, () => 0);
  for (const text of order.slice(0, N)) counts[text]++;
  return counts;
}

/**
 * Tokens of one pass: of each text those that were accepted among the checked ones, and one more.
 * @param {number[]} counts checked positions of each text @param {number[]} accepted of each whole block
 */
export const tokensOfPass = (counts, accepted) => counts.reduce((sum, n, i) => sum + Math.min(n, accepted[i]) + 1, 0);

/** Accepted tokens of every text in round i. @param {Recorded} recorded @param {number} i */
export const acceptedInRound = ({ texts }, i) => texts.map(({ accepted }) => accepted[i]);

/**
 * ms of `steps` draft steps, and of a pass over N tokens more than texts: between two measured blocks on a line.
 * @param {Passes} passes over so many texts @param {number} steps @param {number} N @param {number} texts
 */
export function budgetMs({ target, draft }, steps, N, texts) {
  const whole = Math.floor(N / texts);
  const [ms, next] = [target[whole], target[Math.min(whole + 1, target.length - 1)]];
  return steps * draft + ms + (N / texts - whole) * (next - ms);
}

/**
 * What a hand-out gives, over all recorded rounds. `shares`: checked positions of each text in round i; `beyond`: draft
 * steps after the longest checked block.
 * @param {Recorded} recorded @param {Passes | null} passes @param {(i: number) => number[]} shares
 * @param {number} [beyond] @returns {Gain}
 */
export function gain(recorded, passes, shares, beyond = 0) {
  const { K, texts } = recorded;
  const rounds = texts[0].accepted.length;
  let [tokens, ms] = [0, 0];
  for (let i = 0; i < rounds; i++) {
    const counts = shares(i);
    const longest = Math.max(...counts);
    tokens += tokensOfPass(counts, acceptedInRound(recorded, i));
    const N = sum(counts);
    if (passes) ms += budgetMs(passes, longest && Math.min(K, longest + beyond), N, texts.length);
  }
  return { tokens: tokens / rounds, ms: ms / rounds, pace: ms ? (1e3 * tokens) / ms : 0 };
}

/**
 * Every hand-out of N positions by its name, for any N. To know that no later token is likelier, the draft takes one
 * step more.
 * @param {Recorded} recorded
 */
export function makeHandouts(recorded) {
  const { texts } = recorded;
  const orders = texts[0].q.map((_, i) => orderByChance(texts.map(({ q }) => q[i])));
  return {
    /** @param {number} N @returns {(i: number) => number[]} */
    evenly: (N) => () => evenShares(N, texts.length),
    /** @param {number} N @returns {(i: number) => number[]} */
    chances: (N) => (i) => sharesByChance(orders[i], N, texts.length),
    /** Gains at each N from 0 to all positions. @param {Passes | null} passes */
    curves(passes) {
      const budgets = Array.from({ length: texts.length * recorded.K + 1 }, (_, N) => N);
      return {
        evenly: budgets.map((N) => gain(recorded, passes, this.evenly(N))),
        chances: budgets.map((N) => gain(recorded, passes, this.chances(N), 1)),
      };
    },
  };
}
