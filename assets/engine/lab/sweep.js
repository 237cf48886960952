// Drafters × K on one prompt: what was measured, and what the formula says of the same runs
// (specviz/lab/sweep.py).

import { expectedTokens, sum } from "../../trace/events.js";
import { spread } from "./spread.js";

/** @import { Cell, SweepResult, Way, Where } from "../../lab/sweep/types.js" */
/** @import { Config } from "../types.js" */
/** @import { Pair, PairRunner } from "./pairs.js" */
/** @typedef {{ where: Where, pairs: Pair[] }} Place */

/** Each with one run more: how far it is, and what sums up all runs so far. @param {PairRunner} runPair
 * @param {string[]} drafters @param {number[]} ks @param {number} turns @param {Config} config
 * @returns {Generator<{ done: number, of: number, summary: () => Omit<SweepResult, "ran"> }, void, void>}
 */
export function* sweep(runPair, drafters, ks, turns, config) {
  const sizes = [...ks].sort((a, b) => a - b);
  /** @type {Place[]} */
  const all = drafters.flatMap((drafter) =>
    sizes.map((K) => ({ where: { drafter, K, temperature: config.temperature }, pairs: [] })),
  );
  /** @type {Place[]} */
  const order = [];
  const of = turns * all.length;
  let done = 0;
  for (let turn = 0; turn < turns; turn++)
    for (const place of turn ? order : firstTurnOrder(all, sizes[0])) {
      const seed = (config.seed + turn) % 2 ** 32;
      const { drafter, K } = place.where;
      place.pairs.push(runPair(drafter, { ...config, K, seed }));
      if (!turn) order.push(place);
      done += 1;
      yield { done, of, summary: () => summary(order, done, of) };
    }
}

/** The order of the first turn, worked out as it goes: each drafter at the least K, each where it promises most, the
 * rest. @param {Place[]} all @param {number} least @returns {Generator<Place, void, void>} */
function* firstTurnOrder(all, least) {
  yield* all.filter(({ where }) => where.K === least);
  const same = (/** @type {Where} */ a, /** @type {Where} */ b) => a.drafter === b.drafter;
  const promise = new Map(
    all.map((place) => {
      const first = all.find(({ where }) => where.K === least && same(where, place.where));
      return [place, predictedSpeedup(/** @type {Place} */ (first).pairs[0], place.where.K)];
    }),
  );
  const rest = all
    .filter(({ where }) => where.K !== least)
    .sort((a, b) => (promise.get(b) ?? 0) - (promise.get(a) ?? 0));
  const best = rest.filter((place, i) => rest.findIndex(({ where }) => same(where, place.where)) === i);
  yield* [...best, ...rest.filter((place) => !best.includes(place))];
}

/** What one run at another K promises for this K: v by a line through what was measured. @param {Pair} pair
 * @param {number} K */
function predictedSpeedup(pair, K) {
  const { c, v } = costs([pair]);
  if (c === null || pair.alpha === null) return 0;
  const drafted = Math.max(1, ...pair.mine.lengths);
  return expectedTokens(pair.alpha, K) / (K * c + 1 + (Math.max(0, v - 1) * K) / drafted);
}

/** c and v of these runs; c is null where nothing was drafted. @param {Pair[]} pairs */
function costs(pairs) {
  const total = (/** @type {(pair: Pair) => number} */ of) => sum(pairs.map(of));
  const one = total(({ vanilla }) => vanilla.verify) / total(({ vanilla }) => vanilla.rounds);
  const drafted = total(({ mine }) => sum(mine.lengths));
  const v = total(({ mine }) => mine.verify) / total(({ mine }) => mine.rounds) / one;
  return { c: drafted ? total(({ mine }) => mine.draft) / drafted / one : null, v };
}

/** @param {Pair[]} pairs */
function alphaOf(pairs) {
  const betas = pairs.flatMap(({ mine }) => mine.betas);
  return betas.length ? sum(betas) / betas.length : null;
}

/** @param {Place[]} places that were run @param {number} done @param {number} of @returns {Omit<SweepResult, "ran">} */
function summary(places, done, of) {
  const cells = places.map(cell);
  return { done, of, cells, ways: ways(places, cells) };
}

/** @param {Place} place @returns {Cell} */
function cell({ where, pairs }) {
  const undisturbed = pairs.filter(({ disturbed }) => !disturbed);
  const { c, v } = undisturbed.length ? costs(undisturbed) : { c: null, v: null };
  const lengths = pairs.flatMap(({ mine }) => mine.lengths);
  const alpha = alphaOf(pairs);
  const drafted = sum(lengths) / lengths.length;
  const known = c !== null && v !== null && alpha !== null;
  return {
    where,
    runs: pairs.length,
    speedup: spread(undisturbed.map(({ speedup }) => speedup)),
    tokens_a_round: sum(pairs.map(({ mine }) => mine.tokens)) / sum(pairs.map(({ mine }) => mine.rounds)),
    drafted_a_round: drafted,
    alpha,
    c,
    v,
    predicted: known ? sum(lengths.map((n) => expectedTokens(alpha, n))) / lengths.length / (drafted * c + v) : null,
    disturbed: pairs.length - undisturbed.length,
  };
}

/** α against c by drafter, over all K; which of them no other one beats in both. @param {Place[]} places
 * @param {Cell[]} cells @returns {Way[]} */
function ways(places, cells) {
  const points = [...new Set(places.map(({ where }) => where.drafter))].flatMap((drafter) => {
    const pairs = places.flatMap(({ where, pairs }) => (where.drafter === drafter ? pairs : []));
    const undisturbed = pairs.filter(({ disturbed }) => !disturbed);
    const [alpha, c] = [alphaOf(pairs), undisturbed.length ? costs(undisturbed).c : null];
    return alpha === null || c === null ? [] : [{ drafter, alpha, c }];
  });
  return points.map((point) => {
    const isBeaten = points.some(
      (other) =>
        other.drafter !== point.drafter &&
        other.c <= point.c &&
        other.alpha >= point.alpha &&
        (other.c < point.c || other.alpha > point.alpha),
    );
    const own = cells.flatMap(({ where, speedup }) =>
      speedup && where.drafter === point.drafter ? [{ K: where.K, speedup: speedup.median }] : [],
    );
    const top = own.find(({ speedup }) => speedup === Math.max(...own.map((each) => each.speedup)));
    return { ...point, best: !isBeaten, K: top?.K ?? null, speedup: top?.speedup ?? null };
  });
}
