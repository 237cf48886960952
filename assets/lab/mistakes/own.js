// A rule of one's own: two formulas of p and q that a reader types (arithmetic, read by precedence climbing; nothing of
// them is run as code), their fields, and where what comes out by them is not p.
//
//     compile("max(p - q, 0)")({ p: [0.4, 0.6], q: [0.7, 0.3], x: 1, i: 1, K: 1 })   // 0.3

import { el, setText } from "../../player/dom.js";
import { fillText, number } from "../../player/words.js";
import { mulberry } from "../../shared/formulas.js";
import { choice } from "../frame.js";
import { distance, entropy, enumerateOutcomes, largest, normalized, positionCase, tokenRule } from "./rules.js";

/** @import { Counterexample, Distribution, Rule, Scope, TokenRule } from "../types.js" */

/** @typedef {(scope: Scope) => number} Value */

export const MAX_LENGTH = 120; // characters
const MAX_DEPTH = 16; // parentheses and operators inside each other
const SIGN = /\s*(\d+\.?\d*|\.\d+|[A-Za-z]+|\S|$)/gu;
const MINUS = 4; // −p^2 is −(p^2)

/** @type {Map<string, Value>} */
const NAMES = new Map([
  ["p", ({ p, x }) => p[x]],
  ["q", ({ q, x }) => q[x]],
  ["i", ({ i }) => i],
  ["K", ({ K }) => K],
  ["H", ({ p }) => entropy(p)],
]);

/** @type {Map<string, (...values: number[]) => number>} */
const FUNCTIONS = new Map([
  ["min", Math.min],
  ["max", Math.max],
  ["exp", Math.exp],
  ["sum", (...values) => values.reduce((a, b) => a + b, 0)], // of one value for each token
]);

/** How tightly each binds. @type {Map<string, [power: number, apply: (a: number, b: number) => number]>} */
const OPERATORS = new Map([
  ["<", [1, (a, b) => Number(a < b)]],
  [">", [1, (a, b) => Number(a > b)]],
  ["+", [2, (a, b) => a + b]],
  ["-", [2, (a, b) => a - b]],
  ["*", [3, (a, b) => a * b]],
  ["/", [3, (a, b) => a / b]],
  ["^", [5, (a, b) => a ** b]],
]);

/** Why a text is no formula, or what a formula cannot give. */
export class FormulaError extends Error {
  /** @type {"accept" | "replace" | null} which of two formulas */
  part = null;

  /** @param {string} key of the sentence @param {number | null} at the character, from 0; null: all of it
   * @param {{ sign?: string, x?: number, value?: number }} [values] what fills the sentence, x a token */
  constructor(key, at, values = {}) {
    super(key);
    this.key = key;
    this.at = at;
    this.values = values;
  }
}

/** The value of a formula for a token. This and that throw FormulaError. @param {string} text @returns {Value} */
export function compile(text) {
  if (text.length > MAX_LENGTH) throw new FormulaError("long", MAX_LENGTH);
  const source = text.replaceAll("−", "-").replaceAll("÷", "/").replace(/[·×]/g, "*");
  const signs = [...source.matchAll(SIGN)].map(({ 0: { length }, 1: sign, index }) => ({
    sign, // empty at the end
    at: index + length - sign.length,
  }));
  let [next, depth, insideSum] = [0, 0, false];

  /** @param {string} sign */
  function expectSign(sign) {
    if (signs[next].sign !== sign) throw new FormulaError("missing", signs[next].at, { sign });
    next += 1;
  }

  /** What stands between operators that bind at least so tightly. @param {number} least @returns {Value} */
  function operation(least) {
    if (++depth > MAX_DEPTH) throw new FormulaError("deep", signs[next].at);
    let left = operand();
    for (;;) {
      const { sign, at } = signs[next];
      const [power, apply] = OPERATORS.get(sign) ?? [-1, Math.min];
      if (power < least) break;
      next += 1;
      const [a, b] = [left, operation(sign === "^" ? power : power + 1)];
      left = (scope) => checkFinite(apply(a(scope), b(scope)), sign === "/" ? "zero" : "infinite", at, scope);
    }
    depth -= 1;
    return left;
  }

  /** @returns {Value} */
  function operand() {
    const { sign, at } = signs[next++];
    if (/\d/.test(sign)) return () => Number(sign);
    if (sign === "-") {
      const value = operation(MINUS);
      return (scope) => -value(scope);
    }
    if (sign === "(") {
      const value = operation(0);
      expectSign(")");
      return value;
    }
    const value = NAMES.get(sign) ?? functionCall(sign, at);
    if (value) return value;
    throw new FormulaError(OPERATORS.has(sign) || "),".includes(sign) ? "value" : "unknown", at, { sign });
  }

  /** A function of what its parentheses hold; null if none has this name. @param {string} name @param {number} at */
  function functionCall(name, at) {
    const act = FUNCTIONS.get(name);
    if (!act) return null;
    const [sum, takesSeveral] = [name === "sum", name === "min" || name === "max"];
    if (sum && insideSum) throw new FormulaError("nested", at); // each would multiply the time that a formula takes
    insideSum ||= sum;
    expectSign("(");
    const values = [operation(0)];
    for (; takesSeveral && signs[next].sign === ","; values.push(operation(0))) next += 1;
    expectSign(")");
    if (sum) insideSum = false;
    /** @param {Scope} scope */
    const inputs = (scope) => (sum ? scope.p.map((_, x) => values[0]({ ...scope, x })) : values.map((value) => value(scope)));
    return (/** @type {Scope} */ scope) => checkFinite(act(...inputs(scope)), "infinite", at, scope);
  }

  const value = operation(0);
  if (signs[next].sign) throw new FormulaError("unexpected", signs[next].at, signs[next]);
  return value;
}

/** @param {number} value @param {string} key @param {number} at @param {Scope} scope */
function checkFinite(value, key, at, { x }) {
  if (Number.isFinite(value)) return value;
  throw new FormulaError(key, at, { x });
}

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

/** A rule from two formulas; what they cannot be, or cannot give, is a FormulaError, also where the rule decides.
 * @param {Record<Part, string>} formulas @returns {Rule} */
export function ownRule(formulas) {
  const [chanceOf, weightOf] = PARTS.map((part) => labelErrors(part, () => compile(formulas[part])));
  /** @type {TokenRule} */
  const token = (p, q, chance, i = 1, K = 1) => {
    const x = chance.pick(q);
    if (chance.below(acceptChance({ p, q, x, i, K }))) return { x, stays: true };
    return { x: chance.pick(correctionDistribution({ p, q, x, i, K })), stays: false };
  };

  /** @param {Scope} scope */
  const acceptChance = (scope) =>
    labelErrors("accept", () => {
      const value = chanceOf(scope);
      if (value < -ROUNDING || value > 1 + ROUNDING) throw new FormulaError("chance", null, { x: scope.x, value });
      return value > 1 - ROUNDING ? 1 : Math.max(0, value);
    });

  /** @param {Scope} scope whose x was rejected */
  const correctionDistribution = (scope) =>
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

/** p and q, and a place in the block, where a rule does not give p; null if there is none among many.
 * @param {TokenRule} token @returns {Counterexample | null} */
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

/** The token that is drafted and accepted more often than p gives it, so no correction makes the rule exact; null if
 * there is none.
 * @param {TokenRule} token @param {Distribution} p @param {Distribution} q */
export function overAcceptedToken(token, p, q) {
  const accepted = p.map(() => 0);
  for (const { result, chance } of enumerateOutcomes((c) => token(p, q, c))) if (result.stays) accepted[result.x] += chance;
  const excess = accepted.map((chance, x) => chance - p[x]);
  const x = largest(excess);
  return excess[x] > TOLERANCE ? { x, accepted: accepted[x] } : null;
}

/** @param {Record<string, string>} words @param {Record<Part, string>} formulas what the fields hold, kept up to date
 * @param {(settled: boolean) => void} onChange `settled`: the field was left, or a rule was chosen */
export function makeEditor(words, formulas, onChange) {
  const presets = choice(
    words.own_preset,
    ["typed", ...Object.keys(PRESETS)].map((key) => [key, words[`preset_${key}`]]),
    "",
    (key) => {
      for (const part of PARTS) fields[part].input.value = formulas[part] = PRESETS[key]?.[part] ?? formulas[part];
      onChange(true);
    },
  );
  const source = el("p.lab-note");
  const fields = /** @type {Record<Part, ReturnType<typeof field>>} */ (
    Object.fromEntries(PARTS.map((part) => [part, field(part)]))
  );

  /** @param {Part} part */
  function field(part) {
    const attributes = { maxlength: MAX_LENGTH, spellcheck: "false", autocapitalize: "off", autocomplete: "off" };
    const input = el("input.sv-input", { ...attributes, value: formulas[part], "aria-label": words[`own_${part}`] });
    const place = el("span.brk-place", { "aria-hidden": true });
    for (const type of ["input", "change"])
      input.addEventListener(type, () => {
        formulas[part] = input.value;
        onChange(type === "change");
      });
    const root = el("label.lab-choice.lab-wide", null, el("span", null, words[`own_${part}`]), input, place);
    return { root, input, place };
  }

  /** What stands in the fields was read, or where it cannot be. @param {FormulaError | null} error */
  function showError(error) {
    const preset = Object.keys(PRESETS).find((key) => PARTS.every((part) => PRESETS[key][part] === formulas[part]));
    presets.select.value = preset ?? "typed";
    source.hidden = !preset;
    setText(source, fillText(words.own_source, { source: words[`source_${preset}`] }));
    for (const part of PARTS) {
      const partError = error?.part === part ? error : null;
      fields[part].input.setAttribute("aria-invalid", String(partError !== null));
      fields[part].place.replaceChildren(...(partError?.at == null ? [] : highlight(formulas[part], partError.at)));
    }
  }

  return {
    root: el(
      "div.lab-stack.brk-own",
      null,
      el("p.lab-sentence", null, words.own_question),
      el("div.lab-controls", null, presets.root, ...PARTS.map((part) => fields[part].root)),
      source,
      el("p.lab-note", null, words.own_names),
    ),
    showError,
    /** @param {boolean} on whether a class decides about the rule: where it comes from would answer */
    hideSource(on) {
      source.style.visibility = on ? "hidden" : "";
    },
  };
}

/** @param {string} text @param {number} at */
const highlight = (text, at) => [text.slice(0, at), el("mark", null, text[at] ?? " "), text.slice(at + 1)];

/** What is wrong with a formula. @param {FormulaError} error @param {string[]} tokens by their numbers
 * @param {Record<string, string>} words */
export function errorSentence({ key, part, at, values: { x = 0, value, sign } }, tokens, words) {
  const place = { field: words[`own_${part}`], at: (at ?? 0) + 1, x: tokens[x] };
  return fillText(words[`wrong_${key}`], { ...place, sign, value: number(value, 3), most: MAX_LENGTH });
}
