// What a pair of models promises on a card before anybody runs it: at both ends of what is assumed, as serving.js
// has it. And what that arithmetic makes of measurements that were published.

import { bestOf, byFormula, passMs, servingAt, servingByK } from "../../shared/serving.js";
import { tokensOf } from "../../trace/events.js";

import { byKey } from "../form.js";

/** @import { Card, Hardware, Passes, Published, Size } from "../../shared/hardware.js" */
/** @import { Work } from "../../shared/serving.js" */

/**
 * @typedef {object} Assumptions
 * @property {[number, number]} reach share of the published peaks
 * @property {[number, number]} launch µs a layer
 * @property {number} width bytes of a weight
 * @property {number} draftWidth
 */
/** @typedef {{ target: Size, draft: Size, card: Card, devices: number, work: Work, assumed: Assumptions }} PairSetup */
/**
 * @typedef {{ what: "ms" | "speedup" | "alpha", published: number | null, middle: number, low: number, high: number,
 * off: number | null }} PublishedCheck
 */

/** @param {[number, number]} ends */
const middleOf = ([low, high]) => (low + high) / 2;

/** Both ends of both. @param {[number, number]} reach @param {[number, number]} launch @returns {[number, number][]} */
const cornersOf = (reach, launch) => reach.flatMap((r) => launch.map((l) => /** @type {[number, number]} */ ([r, l])));

/** @param {PairSetup} setup @param {number} reach @param {number} launch @returns {Passes} */
function passesAt({ target, draft, card, devices, work, assumed }, reach, launch) {
  return byFormula(target, draft, { card, devices, reach, launch }, work, assumed.width, assumed.draftWidth);
}

/**
 * c, v, the best K and the speedup in the middle of what is assumed, and at its ends at the same K.
 * @param {PairSetup & { K?: number }} setup `K`: this one, not the best
 * @param {[number[], number[], number[]]} chances to keep a token by position, low, middle, high
 */
export function estimateSpeedup(setup, [low, middle, high]) {
  const { target, card, devices, work, assumed } = setup;
  const [reach, launch] = [middleOf(assumed.reach), middleOf(assumed.launch)];
  const passes = passesAt(setup, reach, launch);
  const speedups = servingByK(passes, middle, work.texts);
  const best = setup.K === undefined ? bestOf(speedups) : speedups[setup.K];
  const ends = cornersOf(assumed.reach, assumed.launch).flatMap(([r, l]) =>
    [low, high].map((alphas) => servingAt(passesAt(setup, r, l), alphas, best.K, work.texts).speedup),
  );
  const passTimes = passMs(target, assumed.width, { card, devices, reach, launch }, work);
  return {
    passes,
    target_ms: passes.target[0],
    draft_ms: passes.draft,
    c: passes.draft / passes.target[0],
    v: passes.target[best.K] / passes.target[0],
    K: best.K,
    speedup: best.speedup,
    low: Math.min(best.speedup, ...ends),
    high: Math.max(best.speedup, ...ends),
    limit: /** @type {const} */ (["read", "compute", "launch"])[passTimes.indexOf(Math.max(...passTimes))],
  };
}

/**
 * A published measurement beside what is worked out.
 * @param {Hardware} hardware @param {Published} published @returns {PublishedCheck}
 */
export function checkPublished(hardware, published) {
  const { launch } = byKey(hardware.engines, published.engine);
  const card = byKey(hardware.cards, published.card);
  const assumed = { reach: hardware.reach, launch, width: published.bytes, draftWidth: published.bytes };
  const target = byKey(hardware.models, published.target);
  const draft = byKey(hardware.models, published.draft ?? published.target);
  const setup = { target, draft, card, devices: published.devices, work: { texts: 1, context: 0 }, assumed };
  const middle = passesAt(setup, middleOf(assumed.reach), middleOf(launch));
  const ends = cornersOf(assumed.reach, launch).map(([r, l]) => passesAt(setup, r, l));
  const ms = [middle, ...ends].map(({ target }) => target[0]);
  if (published.ms !== undefined) return checkOf("ms", published.ms, ms);
  const lengths = published.K ?? [1, 1];
  const { tokens, speedup = 1 } = published;
  const valueAt = (/** @type {Passes} */ passes, /** @type {number} */ k) =>
    tokens === undefined ? alphaFor(speedup * roundCost(passes, k), k) : tokens / roundCost(passes, k);
  const values = ends.flatMap((passes) => lengths.map((k) => valueAt(passes, k)));
  values.unshift(valueAt(middle, Math.floor(middleOf(lengths))));
  return tokens === undefined ? checkOf("alpha", null, values) : checkOf("speedup", speedup, values);
}

/** Of a round, in passes of the target over one token: K·c + v. @param {Passes} passes @param {number} K */
const roundCost = (passes, K) => (K * passes.draft + passes.target[K]) / passes.target[0];

/** The α whose rounds of K drafts give so many tokens; 1 where none does. @param {number} tokens @param {number} K */
export function alphaFor(tokens, K) {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 40; i++) {
    const alpha = (low + high) / 2;
    if (tokensOf([alpha], K) < tokens) low = alpha;
    else high = alpha;
  }
  return (low + high) / 2;
}

/**
 * @param {PublishedCheck["what"]} what @param {number | null} published
 * @param {number[]} values of the middle of what is assumed, then of its ends @returns {PublishedCheck}
 */
function checkOf(what, published, values) {
  const [middle] = values;
  const off = published ? middle / published - 1 : null;
  return { what, published, middle, low: Math.min(...values), high: Math.max(...values), off };
}
