// A rule of one's own: two formulas of p and q, and where what comes out by them is not p.

import { mulberry } from "../../shared/random.js";
import { position } from "./cases.js";
import { enumerateOutcomes } from "./chance.js";
import { distance, largest, scaled } from "./distributions.js";
import { compile, FormulaError } from "./expression.js";
import { ofToken } from "./table.js";

/** @import { Counterexample, Distribution, Rule, Scope, TokenRule } from "./types.js" */

/** @typedef {"accept" | "replace"} Part */

export const PARTS = /** @type {const} */ (["accept", "replace"]);

/** Rules that are in use, as formulas: docs/rules.md. @type {Record<string, Record<Part, string>>} */
export const PRESETS = {
  rejection: { accept: "min(1, p / q)", replace: "max(p - q, 0)" },
  match: { accept: "p", replace: "p * (1 - q)" },
  threshold: { accept: "min(1, p / q / 0.5)", replace: "max(p - q, 0)" },
  typical: { accept: "p > min(0.09, 0.3 * exp(-H))", replace: "p" },
  ensemble: { accept: "min(1, 0.5 * p / q + 0.5)", replace: "max(p - q, 0)" },
  resample: { accept: "min(1, p / q)", replace: "p" },
};

const ROUNDING = 1e-12; // so near to 0 or to 1 a chance is 0 or 1
const SAME = 1e-9; // closer is rounding
export const PAIRS = 100; // of p and q, on which a rule is tried
export const LETTERS = ["a", "b", "c"]; // their tokens
const TWENTIETHS = 20;
const K = 4; // the block

/**
 * A rule from two formulas; what they cannot be, or cannot give, is a FormulaError, also where the rule decides.
 * @param {Record<Part, string>} formulas @returns {Rule}
 */
export function ownRule({ accept, replace }) {
  const [chanceOf, weightOf] = [inPart("accept", () => compile(accept)), inPart("replace", () => compile(replace))];
  /** @type {TokenRule} */
  const token = (p, q, chance, i = 1, K = 1) => {
    const x = chance.pick(q);
    if (chance.below(accepted({ p, q, x, i, K }))) return { x, stays: true };
    return { x: chance.pick(replacement({ p, q, x, i, K })), stays: false };
  };

  /** @param {Scope} scope */
  const accepted = (scope) =>
    inPart("accept", () => {
      const value = chanceOf(scope);
      if (value < -ROUNDING || value > 1 + ROUNDING) throw new FormulaError("chance", null, { x: scope.x, value });
      return value > 1 - ROUNDING ? 1 : Math.max(0, value);
    });

  /** @param {Scope} scope whose x was rejected */
  const replacement = (scope) =>
    inPart("replace", () => {
      const weights = scope.p.map((_, x) => {
        const value = weightOf({ ...scope, x });
        if (value < -ROUNDING) throw new FormulaError("negative", null, { x, value });
        return Math.max(0, value);
      });
      const largestWeight = Math.max(...weights);
      if (largestWeight === 0) throw new FormulaError("zeros", null);
      return scaled(weights.map((weight) => weight / largestWeight)); // which the sum of huge weights is not
    });

  return { ...ofToken("own", null, token), elsewhere: counterexample(token) };
}

/** @template Value @param {Part} part to which an error belongs @param {() => Value} value */
function inPart(part, value) {
  try {
    return value();
  } catch (error) {
    if (error instanceof FormulaError) error.part = part;
    throw error;
  }
}

/**
 * p and q, and a place in the block, where a rule does not give p; null if there is none among many.
 * @param {TokenRule} token @returns {Counterexample | null}
 */
function counterexample(token) {
  const random = mulberry(1);
  for (let n = 0; n < PAIRS; n++) {
    const [p, q, i] = [drawnDistribution(random), drawnDistribution(random), 1 + (n % K)];
    const now = position(LETTERS, p, q);
    const at = ofToken("own", null, (p, q, chance) => token(p, q, chance, i, K));
    try {
      const exact = now.exact(at);
      if (distance(exact, p) > SAME) return { p, q, exact, i, K };
    } catch (error) {
      if (error instanceof FormulaError) return { p, q, error, i, K };
      throw error;
    }
  }
  return null;
}

/** In twentieths, so a chance is 0 at times. @param {() => number} random @returns {Distribution} */
function drawnDistribution(random) {
  const inner = LETTERS.slice(1).map(() => Math.floor(random() * (TWENTIETHS + 1)));
  const cuts = [0, ...inner.sort((a, b) => a - b), TWENTIETHS];
  return LETTERS.map((_, x) => (cuts[x + 1] - cuts[x]) / TWENTIETHS);
}

/**
 * The token that is drafted and accepted more often than p gives it, so no replacement makes the rule exact; null if
 * there is none.
 * @param {TokenRule} token @param {Distribution} p @param {Distribution} q
 */
export function overAccepted(token, p, q) {
  const accepted = p.map(() => 0);
  for (const { result, chance } of enumerateOutcomes((c) => token(p, q, c)))
    if (result.stays) accepted[result.x] += chance;
  const above = accepted.map((chance, x) => chance - p[x]);
  const x = largest(above);
  return above[x] > SAME ? { x, accepted: accepted[x] } : null;
}
