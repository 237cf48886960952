// What a pair of models promises on a card before anybody runs it: at both ends of what is assumed, as serving.js
// has it. And what that arithmetic makes of measurements that were published.

import { bestOf, byFormula, passMs, served, servedBy, tokensOf } from "../../shared/serving.js";

/** @import { Card, Hardware, Passes, Published, Size } from "../../shared/hardware.js" */
/** @import { Work } from "../../shared/serving.js" */

/**
 * @typedef {object} Assumed
 * @property {[number, number]} reach share of the published peaks
 * @property {[number, number]} launch µs a layer
 * @property {number} width bytes of a weight
 * @property {number} draftWidth
 */
/** @typedef {{ target: Size, draft: Size, card: Card, devices: number, work: Work, assumed: Assumed }} Asked */
/**
 * @typedef {{ what: "ms" | "speedup" | "alpha", published: number | null, middle: number, low: number, high: number,
 * off: number | null }} Check
 */

/** @param {[number, number]} ends */
const middle = ([low, high]) => (low + high) / 2;

/** Both ends of both. @param {[number, number]} reach @param {[number, number]} launch @returns {[number, number][]} */
const corners = (reach, launch) => reach.flatMap((r) => launch.map((l) => /** @type {[number, number]} */ ([r, l])));

/** @param {Asked} asked @param {number} reach @param {number} launch @returns {Passes} */
export function passesAt({ target, draft, card, devices, work, assumed }, reach, launch) {
  return byFormula(target, draft, { card, devices, reach, launch }, work, assumed.width, assumed.draftWidth);
}

/**
 * c, v, the best K and the speedup in the middle of what is assumed, and at its ends at the same K.
 * @param {Asked & { K?: number }} asked `K`: this one, not the best
 * @param {[number[], number[], number[]]} chances to keep a token by position, low, middle, high
 */
export function promise(asked, chances) {
  const { target, card, devices, work, assumed } = asked;
  const [reach, launch] = [middle(assumed.reach), middle(assumed.launch)];
  const passes = passesAt(asked, reach, launch);
  const all = servedBy(passes, chances[1], work.texts);
  const found = asked.K === undefined ? bestOf(all) : all[asked.K];
  const ends = corners(assumed.reach, assumed.launch).flatMap(([r, l]) =>
    [chances[0], chances[2]].map((kept) => served(passesAt(asked, r, l), kept, found.K, work.texts).speedup),
  );
  const one = passMs(target, assumed.width, { card, devices, reach, launch }, work);
  return {
    passes,
    target_ms: passes.target[0],
    draft_ms: passes.draft,
    c: passes.draft / passes.target[0],
    v: passes.target[found.K] / passes.target[0],
    K: found.K,
    speedup: found.speedup,
    low: Math.min(found.speedup, ...ends),
    high: Math.max(found.speedup, ...ends),
    limit: /** @type {const} */ (["read", "compute", "launch"])[one.indexOf(Math.max(...one))],
  };
}

/**
 * A published measurement beside what is worked out.
 * @param {Hardware} hardware @param {Published} said @returns {Check}
 */
export function check(hardware, said) {
  const named = (/** @type {string} */ key) => /** @type {Size} */ (hardware.models.find((model) => model.key === key));
  const launch = /** @type {[number, number]} */ (hardware.engines.find(({ key }) => key === said.engine)?.launch);
  const card = /** @type {Card} */ (hardware.cards.find(({ key }) => key === said.card));
  const assumed = { reach: hardware.reach, launch, width: said.bytes, draftWidth: said.bytes };
  const [target, draft] = [named(said.target), named(said.draft ?? said.target)];
  const asked = { target, draft, card, devices: said.devices, work: { texts: 1, context: 0 }, assumed };
  const at = passesAt(asked, middle(assumed.reach), middle(assumed.launch));
  const ends = corners(assumed.reach, launch).map(([r, l]) => passesAt(asked, r, l));
  if (said.ms !== undefined) {
    return around(
      "ms",
      said.ms,
      at.target[0],
      ends.map((end) => end.target[0]),
    );
  }
  const lengths = said.K ?? [1, 1];
  const K = Math.floor((lengths[0] + lengths[1]) / 2);
  const { tokens, speedup = 1 } = said;
  const work = (/** @type {Passes} */ passes, /** @type {number} */ k) =>
    tokens === undefined ? alphaFor(speedup * cost(passes, k), k) : tokens / cost(passes, k);
  const all = ends.flatMap((end) => lengths.map((k) => work(end, k)));
  return around(tokens === undefined ? "alpha" : "speedup", tokens === undefined ? null : speedup, work(at, K), all);
}

/** Of a round, in passes of the target over one token: K·c + v. @param {Passes} passes @param {number} K */
const cost = (passes, K) => (K * passes.draft + passes.target[K]) / passes.target[0];

/** The α whose rounds of K drafts give so many tokens; 1 where none does. @param {number} tokens @param {number} K */
export function alphaFor(tokens, K) {
  let low = 0;
  let high = 1;
  for (let i = 0; i < 40; i++) {
    const half = (low + high) / 2;
    if (tokensOf([half], K) < tokens) low = half;
    else high = half;
  }
  return (low + high) / 2;
}

/**
 * @param {Check["what"]} what @param {number | null} published @param {number} found @param {number[]} ends
 * @returns {Check}
 */
function around(what, published, found, ends) {
  const [low, high] = [Math.min(found, ...ends), Math.max(found, ...ends)];
  return { what, published, middle: found, low, high, off: published ? found / published - 1 : null };
}
