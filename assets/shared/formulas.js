// Arithmetic of Learn and of the Lab: the speedup in one-token passes of the target, as specviz/acceptance.py has it, where v
// is a line through what one block length cost; what a server's load does to drafting; and a made-up language.

import { expectedTokens, tokensOf } from "../trace/events.js";

/** @import { Card, Passes, Served, Size, Weights } from "./hardware.js" */

export const ALPHAS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1];
export const LENGTHS = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]; // the K of the map
const MOST_K = 16; // the largest K of a run (specviz/config.py)

/** @typedef {{ c: number, v: number, at: number }} Cost a draft step, a check, the K at which the check was measured */

/** v at another K: 1 at one token, and a line through what was measured. @param {Cost} cost @param {number} K */
export function checkCost({ v, at }, K) {
  return 1 + ((v - 1) * K) / Math.max(1, at);
}

/** @param {number} alpha @param {number} K @param {Cost} cost */
export function speedupOf(alpha, K, cost) {
  return speedupFor(alpha, K, cost.c, checkCost(cost, K));
}

/** The same at a v of this very K. @param {number} alpha @param {number} K @param {number} c @param {number} v */
export function speedupFor(alpha, K, c, v) {
  return expectedTokens(alpha, K) / (K * c + v);
}

/** The K that none is faster than, which may lie beyond the map. @param {number} alpha @param {Cost} cost */
export function bestLength(alpha, cost) {
  let best = 1;
  for (let K = 2; K <= MOST_K; K++) if (speedupOf(alpha, K, cost) > speedupOf(alpha, best, cost)) best = K;
  return best;
}

/** The shade of a speedup. @param {number} speedup */
export function level(speedup) {
  if (speedup < 0.995) return "slower"; // 0.995 is written 1.00
  return String(Math.max(0, Math.min(6, Math.floor((speedup - 1) * 2))));
}

/** Shown in a map. @param {HTMLElement | SVGElement} node @param {number} speedup */
export function shadeNode(node, speedup) {
  node.dataset.level = level(speedup);
  node.style.setProperty("--level", level(speedup));
  return node;
}

/** Where a value lies in a rising list, counted in entries. @param {number[]} list @param {number} value */
export function fractionalIndex(list, value) {
  const above = list.findIndex((entry) => entry >= value);
  if (above < 1) return above < 0 ? list.length - 1 : 0;
  return above - (list[above] - value) / (list[above] - list[above - 1]);
}

// What a server's load does to drafting. A pass takes the longer of two: reading weights and caches, and arithmetic.

const EQUAL = 1e-9; // closer is rounding
const NUMBER_BYTES = 2; // of a weight, and of a number in a cache: 16 bits

/** @typedef {{ card: Card, devices: number }} Where */
/** @typedef {{ texts: number, context: number }} Work */

/** Bytes of keys and values of one position. @param {Size} size */
export const cacheBytes = (size) => 2 * size.layers * size.kv_heads * size.head_size * NUMBER_BYTES;

/** GB of a model's weights, and of the KV cache of one text. @param {Size} size @param {number} context */
export const memoryOf = (size, context) => ({
  weights: NUMBER_BYTES * size.parameters,
  cache: (context * cacheBytes(size)) / 1e9,
});

/** 10⁹ parameters that a pass reads: of experts those that any of its tokens takes. @param {Weights} weights
 * @param {number} tokens */
export function parametersRead({ parameters, active, experts, chosen }, tokens) {
  if (!active || !experts || !chosen) return parameters;
  const share = chosen / experts;
  return parameters - ((parameters - active) / (1 - share)) * (1 - share) ** tokens;
}

/** ms of reading and of arithmetic; the longer is the pass. @param {Size} size @param {Where} where @param {Work} work
 * @param {number} n tokens of each text */
export function passMs(size, where, { texts, context }, n = 1) {
  const tokens = texts * n;
  const bytes = size.parameters * 1e9 * NUMBER_BYTES + texts * context * cacheBytes(size);
  const compute = tokens * (2e9 * size.parameters + 4 * context * size.layers * size.heads * size.head_size);
  const { bandwidth, peak } = where.card;
  return [(1e3 * bytes) / (bandwidth * 1e9 * where.devices), (1e3 * compute) / (peak * 1e12 * where.devices)];
}

/** @param {Passes} passes @param {number[]} chances @param {number} K @param {number} texts @returns {Served} */
export function servingAt(passes, chances, K, texts) {
  const step = K * passes.draft + passes.target[K];
  const tokens = tokensOf(chances, K);
  const latency = step / tokens;
  const pace = (1e3 * texts) / latency;
  return { K, step, tokens, latency, pace, thrown: 1 - tokens / (K + 1), speedup: passes.target[0] / latency };
}

/** Of every K that there is a time for. @param {Passes} passes @param {number[]} chances @param {number} texts */
export const servingByK = (passes, chances, texts) => passes.target.map((_, K) => servingAt(passes, chances, K, texts));

/** The K of the largest speedup, the least of equals; 0 where drafting does not pay. @param {Served[]} all */
export const bestServed = (all) => all.reduce((best, one) => (one.speedup > best.speedup * (1 + EQUAL) ? one : best));

/** How many texts the memory holds beside both models, or the target alone. @param {Size} target
 * @param {Size | null} draft @param {Where} where @param {number} context */
export function textCapacity(target, draft, where, context) {
  const weights = 1e9 * NUMBER_BYTES * (target.parameters + (draft?.parameters ?? 0));
  const free = where.card.memory * 1e9 * where.devices - weights;
  return Math.max(0, Math.floor(free / (context * (cacheBytes(target) + (draft ? cacheBytes(draft) : 0)))));
}

// A made-up language of three tokens, in which the next one depends on the last, and a draft that has learned it badly;
// and every text of a few tokens, with all ways in which rounds of drafting can write it. Exact: nothing is drawn.

/** @typedef {Record<string, number>} Distribution a chance for each token */
/** @typedef {{ roles: ("accepted" | "corrected" | "bonus")[], rounds: number, chance: number }} Way */
/** @typedef {{ text: string, alone: number, ways: Way[] }} Text `alone`: as likely as the target alone makes it */

export const TOKENS = ["a", "b", "c"];

/** By the last token; "" is before the first. @type {Record<string, Distribution>} */
export const P = {
  "": { a: 0.5, b: 0.3, c: 0.2 },
  a: { a: 0.1, b: 0.6, c: 0.3 },
  b: { a: 0.6, b: 0.1, c: 0.3 },
  c: { a: 0.3, b: 0.3, c: 0.4 },
};

/** @type {Record<string, Distribution>} */
export const Q = {
  "": { a: 0.8, b: 0.1, c: 0.1 },
  a: { a: 0.2, b: 0.3, c: 0.5 },
  b: { a: 0.8, b: 0.1, c: 0.1 },
  c: { a: 0.2, b: 0.6, c: 0.2 },
};

/** β after this token. @param {string} last */
const overlap = (last) => TOKENS.reduce((sum, x) => sum + Math.min(P[last][x], Q[last][x]), 0);

/** The chance that x comes next as a correction: from the residual, or, by the wrong rule, from p itself.
 * @param {string} last @param {string} x @param {boolean} wrong */
function correctionChance(last, x, wrong) {
  return wrong ? (1 - overlap(last)) * P[last][x] : Math.max(P[last][x] - Q[last][x], 0);
}

/** Every text of so many tokens, in order, with the ways in which rounds of K drafts write it. @param {number} length
 * @param {number} K @param {boolean} [wrong] the replacement is drawn from p instead @returns {Text[]} */
export function texts(length, K, wrong = false) {
  /** @type {Map<string, Text>} */
  const byText = new Map();

  /** @param {string} text @param {number} alone @param {number} at drafts of this round that stayed @param {Way} way */
  function extend(text, alone, at, way) {
    if (text.length === length) {
      const one = byText.get(text) ?? { text, alone, ways: [] };
      byText.set(text, one);
      if (way.chance > 0) one.ways.push(way);
      return;
    }
    const last = text.slice(-1);
    const rounds = way.rounds + (at === 0 ? 1 : 0);
    for (const x of TOKENS) {
      const [next, p] = [text + x, P[last][x]];
      /** @param {Way["roles"][number]} role @param {number} chance @param {number} then */
      const step = (role, chance, then) =>
        extend(next, alone * p, then, { roles: [...way.roles, role], rounds, chance: way.chance * chance });
      if (at === K) step("bonus", p, 0);
      else {
        step("accepted", Math.min(p, Q[last][x]), at + 1);
        step("corrected", correctionChance(last, x, wrong), 0);
      }
    }
  }

  extend("", 1, 0, { roles: [], rounds: 0, chance: 1 });
  return [...byText.values()].sort((one, other) => (one.text < other.text ? -1 : 1));
}

/** The chance of a text, all its ways together. @param {Text} text */
export function chanceOf({ ways }) {
  return ways.reduce((sum, { chance }) => sum + chance, 0);
}

// A small seeded generator (mulberry32): the same draws at each visit.

/** @param {number} seed @returns {() => number} gives a number on [0, 1) */
export function mulberry(seed) {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let x = Math.imul(state ^ (state >>> 15), 1 | state);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}
