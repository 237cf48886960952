// A rule of one's own: two formulas of p and q, and where what comes out by them is not p.

import { mulberry } from "../../shared/random.js";
import { enumerateOutcomes, positionCase } from "./cases.js";
import { distance, largest, normalized } from "./distributions.js";
import { compile, FormulaError } from "./expression.js";
import { tokenRule } from "./rules.js";

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
export const TOLERANCE = 1e-9; // closer is rounding
export const PAIRS = 100; // of p and q, on which a rule is tried
export const LETTERS = ["a", "b", "c"]; // their tokens
const TWENTIETHS = 20;
const K = 4; // the block

/**
 * A rule from two formulas; what they cannot be, or cannot give, is a FormulaError, also where the rule decides.
 * @param {Record<Part, string>} formulas @returns {Rule}
 */
export function ownRule(formulas) {
  const [chanceOf, weightOf] = PARTS.map((part) => labelErrors(part, () => compile(formulas[part])));
  /** @type {TokenRule} */
  const token = (p, q, chance, i = 1, K = 1) => {
    const x = chance.pick(q);
    if (chance.below(acceptChance({ p, q, x, i, K }))) return { x, stays: true };
    return { x: chance.pick(replacementDistribution({ p, q, x, i, K })), stays: false };
  };

  /** @param {Scope} scope */
  const acceptChance = (scope) =>
    labelErrors("accept", () => {
      const value = chanceOf(scope);
      if (value < -ROUNDING || value > 1 + ROUNDING) throw new FormulaError("chance", null, { x: scope.x, value });
      return value > 1 - ROUNDING ? 1 : Math.max(0, value);
    });

  /** @param {Scope} scope whose x was rejected */
  const replacementDistribution = (scope) =>
    labelErrors("replace", () => {
      const weights = scope.p.map((_, x) => {
        const value = weightOf({ ...scope, x });
        if (value < -ROUNDING) throw new FormulaError("negative", null, { x, value });
        return Math.max(0, value);
      });
      const largestWeight = Math.max(...weights);
      if (largestWeight === 0) throw new FormulaError("zeros", null);
      return normalized(weights.map((weight) => weight / largestWeight)); // which the sum of huge weights is not
    });

  return { ...tokenRule("own", null, token), elsewhere: counterexample(token) };
}

/** @template Value @param {Part} part to which an error belongs @param {() => Value} value */
function labelErrors(part, value) {
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
    const [p, q, i] = [randomDistribution(random), randomDistribution(random), 1 + (n % K)];
    const testCase = positionCase(LETTERS, p, q);
    const ruleAtPlace = tokenRule("own", null, (p, q, chance) => token(p, q, chance, i, K));
    try {
      const exact = testCase.exact(ruleAtPlace);
      if (distance(exact, p) > TOLERANCE) return { p, q, exact, i, K };
    } catch (error) {
      if (error instanceof FormulaError) return { p, q, error, i, K };
      throw error;
    }
  }
  return null;
}

/** In twentieths, so a chance is 0 at times. @param {() => number} random @returns {Distribution} */
function randomDistribution(random) {
  const inner = LETTERS.slice(1).map(() => Math.floor(random() * (TWENTIETHS + 1)));
  const bounds = [0, ...inner.sort((a, b) => a - b), TWENTIETHS];
  return LETTERS.map((_, x) => (bounds[x + 1] - bounds[x]) / TWENTIETHS);
}

/**
 * The token that is drafted and accepted more often than p gives it, so no replacement makes the rule exact; null if
 * there is none.
 * @param {TokenRule} token @param {Distribution} p @param {Distribution} q
 */
export function overAcceptedToken(token, p, q) {
  const accepted = p.map(() => 0);
  for (const { result, chance } of enumerateOutcomes((c) => token(p, q, c)))
    if (result.stays) accepted[result.x] += chance;
  const excess = accepted.map((chance, x) => chance - p[x]);
  const x = largest(excess);
  return excess[x] > TOLERANCE ? { x, accepted: accepted[x] } : null;
}
