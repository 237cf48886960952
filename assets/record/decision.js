// The K that pays, from acceptance by position and what drafting and checking cost, as specviz/picture/decision.py has
// it: tests/assets/record/decided.json holds both together.

import { byFormula, MOST_K } from "../shared/serving.js";
import { tokensOf } from "../trace/events.js";

/** @import { Card, Hardware, Passes, Size } from "../shared/hardware.js" */
/** @import { Costs, Evidence, Flags } from "./types.js" */

const EQUAL = 1e-9; // closer is rounding

/**
 * Costs of which two numbers are known, v at a block of K drafts: a line from 1 through v, and v from one draft on.
 * @param {number} K @param {number} c @param {number} v @returns {Costs[]}
 */
export function byNumbers(K, c, v) {
  const passes = (/** @type {(n: number) => number} */ cost) => Array.from({ length: MOST_K + 1 }, (_, n) => cost(n));
  return [
    { c, v: passes((n) => 1 + ((v - 1) * n) / K) },
    { c, v: passes((n) => (n ? v : 1)) },
  ];
}

/** In passes over one token. @param {Passes} passes @returns {Costs} */
const inPasses = ({ target, draft }) => ({ c: draft / target[0], v: target.map((ms) => ms / target[0]) });

/**
 * The middle of what is assumed about a card, then all its ends.
 * @param {Hardware} hardware @param {Card} card @param {Size} target @param {Size} draft
 * @param {{ texts: number, context: number }} work
 */
export function byCard({ reach, engines }, card, target, draft, work) {
  const launch = engines.find(({ key }) => key === "compiled")?.launch ?? [0, 0];
  const middle = (/** @type {number[]} */ ends) => (ends[0] + ends[1]) / 2;
  const ends = reach.flatMap((ofTarget) => reach.flatMap((ofDraft) => launch.map((us) => [ofTarget, ofDraft, us])));
  return [[middle(reach), middle(reach), middle(launch)], ...ends].map(([ofTarget, ofDraft, launch]) => {
    const [one, other] = [ofTarget, ofDraft].map((reach) =>
      byFormula(target, draft, { card, devices: 1, reach, launch }, work),
    );
    return inPasses({ target: one.target, draft: other.draft });
  });
}

/**
 * A file of `make costs`: costs by requests at a time, or null if it is none.
 * @param {string} text @returns {[number, Costs[]][] | null}
 */
export function byFile(text) {
  try {
    const [target, draft] = JSON.parse(text).curves;
    const one = draft.blocks.indexOf(1);
    const consecutive = target.blocks.every((/** @type {number} */ n, /** @type {number} */ i) => n === i + 1);
    const valid = consecutive && target.blocks.length > 1; // one token alone says nothing of a block
    const rows = target.batches.map((/** @type {number} */ texts, /** @type {number} */ i) => {
      const ms = draft.ms[draft.batches.indexOf(texts)][one];
      return [texts, [inPasses({ target: target.ms[i], draft: ms })]];
    });
    const numbers = rows.flatMap((/** @type {[number, Costs[]]} */ [texts, [{ c, v }]]) => [texts, c, ...v]);
    return valid && rows.length && numbers.every((/** @type {number} */ n) => n > 0 && Number.isFinite(n))
      ? rows
      : null;
  } catch {
    return null;
  }
}

/** @param {number[]} chances @param {number} K @param {Costs} costs */
const speedup = (chances, K, { c, v }) => tokensOf(chances, K) / (K * c + v[K]);

/** @param {number[]} byK */
const bestOf = (byK) => byK.reduce((best, value, K) => (value > byK[best] * (1 + EQUAL) ? K : best), 0);

/**
 * The first of the costs is the middle one, the others are the ends of what is assumed.
 * @param {Evidence} evidence @param {Costs[]} costs
 */
export function decisionOf(evidence, costs) {
  const limit = Math.min(evidence.middle.length, ...costs.map(({ v }) => v.length - 1));
  const Ks = Array.from({ length: limit + 1 }, (_, K) => K);
  const table = [evidence.low, evidence.middle, evidence.high].map((chances) =>
    costs.map((each) => Ks.map((K) => speedup(chances, K, each))),
  );
  const best = bestOf(table[1][0]);
  const bests = table.flat().map(bestOf);
  const by_K = Ks.map((K) => [
    Math.min(...table[0].map((row) => row[K])),
    table[1][0][K],
    Math.max(...table[2].map((row) => row[K])),
  ]);
  const pays = best > 0 && by_K[best][0] > 1;
  const never = Math.max(...by_K.slice(1).map(([, , high]) => high)) <= 1;
  const recorded = Math.min(evidence.measured, limit);
  return {
    verdict: /** @type {"pays" | "none" | "open"} */ (pays ? "pays" : never ? "none" : "open"),
    best,
    Ks: [Math.min(...bests), Math.max(...bests)],
    /** low, middle, high */
    speedup: by_K[best || Math.max(1, recorded)],
    now: by_K[recorded],
    by_K,
  };
}

/**
 * What to measure next where the decision is open: a larger K, or what makes the interval widest.
 * @param {Evidence} evidence @param {Costs[]} costs @returns {"K" | "costs" | "acceptance"}
 */
export function nextMeasurement(evidence, costs) {
  const [low, middle, high] = [evidence.low, evidence.middle, evidence.high].map((level) =>
    level.slice(0, evidence.measured),
  );
  if (decisionOf({ ...evidence, low, middle, high }, costs).verdict !== "open")
    return evidence.rare ? "acceptance" : "K";
  const exact = decisionOf({ ...evidence, low: evidence.middle, high: evidence.middle }, costs).speedup;
  const certain = decisionOf(evidence, costs.slice(0, 1)).speedup;
  return exact[2] - exact[0] > certain[2] - certain[0] ? "costs" : "acceptance";
}

/**
 * A K as the flag of the engine (specviz/picture/decision.py): requests at a time, rising, and the K up to there.
 * @param {Flags | null} flags @param {[number | null, number][]} loads @returns {string | null}
 */
export function flagText(flags, loads) {
  if (!flags || !loads.length) return null;
  const Ks = loads.map(([, K]) => K);
  if (Ks.every((K) => K === Ks[0])) return Ks[0] ? fillPlaces(flags.one, { K: Ks[0], K1: Ks[0] + 1 }) : flags.off;
  const ranges = loads.filter(([, K], i) => i + 1 === loads.length || loads[i + 1][1] !== K);
  const { table, entry, join } = flags;
  if (!table || !entry)
    return ranges.map(([to, K]) => `up to ${to} at a time: ${flagText(flags, [[to, K]])}`).join("; ");
  const rows = ranges.map(([to, K], i) =>
    fillPlaces(entry, { from: i ? (ranges[i - 1][0] ?? 0) + 1 : 1, to: to ?? "", K }),
  );
  return fillPlaces(table, { most: Math.max(...Ks), rows: rows.join(join) });
}

/** @param {string} text @param {Record<string, string | number>} values */
const fillPlaces = (text, values) =>
  Object.entries(values).reduce((text, [name, value]) => text.replaceAll(`[${name}]`, String(value)), text);
