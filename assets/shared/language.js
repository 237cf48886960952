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

/**
 * The chance that x comes next as a correction: from the residual, or, by the wrong rule, from p itself.
 * @param {string} last @param {string} x @param {boolean} wrong
 */
function correctionChance(last, x, wrong) {
  return wrong ? (1 - overlap(last)) * P[last][x] : Math.max(P[last][x] - Q[last][x], 0);
}

/**
 * Every text of so many tokens, in order, with the ways in which rounds of K drafts write it.
 * @param {number} length @param {number} K @param {boolean} [wrong] the replacement is drawn from p instead
 * @returns {Text[]}
 */
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
