// A formula of p and q that a reader types: arithmetic, read by precedence climbing. Nothing of it is run as code.
//
//     compile("max(p - q, 0)")({ p: [0.4, 0.6], q: [0.7, 0.3], x: 1, i: 1, K: 1 })   // 0.3

import { entropy } from "./distributions.js";

/** @import { Scope } from "./types.js" */
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

  /**
   * @param {string} key of the sentence @param {number | null} at the character, from 0; null: all of it
   * @param {{ sign?: string, x?: number, value?: number }} [values] what fills the sentence, x a token
   */
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
    const inputs = (scope) =>
      sum ? scope.p.map((_, x) => values[0]({ ...scope, x })) : values.map((value) => value(scope));
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
