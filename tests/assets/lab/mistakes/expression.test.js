import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, FormulaError, MAX_LENGTH } from "../../../../assets/lab/mistakes/expression.js";
import { mulberry } from "../../../../assets/shared/random.js";

const SCOPE = { p: [0.4, 0.6], q: [0.7, 0.3], x: 1, i: 2, K: 3 };
const value = (text) => compile(text)(SCOPE);
/** What a text is refused for, and at which character. */
function refusal(text) {
  try {
    value(text);
  } catch (error) {
    assert.ok(error instanceof FormulaError, `${text}: ${error}`);
    return [error.key, error.at];
  }
  return null;
}

test("operators bind as in mathematics", () => {
  const values = {
    "1 + 2 * 3": 7,
    "8 - 2 - 1": 5,
    "8 / 4 / 2": 1,
    "2^3^2": 512,
    "-2^2": -4,
    "2^-1": 0.5,
    "-p * q": -0.18,
    "(1 + 2) * 3": 9,
    "p > q": 1,
    "p + 1 < q": 0,
    ".5 + 1.": 1.5,
    "p·q − p×q ÷ 1": 0,
  };
  for (const [text, expected] of Object.entries(values)) assert.ok(Math.abs(value(text) - expected) < 1e-12, text);
});

test("names are of the token and its place, and a sum goes over all tokens", () => {
  assert.deepEqual(["p", "q", "i", "K"].map(value), [0.6, 0.3, 2, 3]);
  assert.ok(Math.abs(value("sum(max(p - q, 0)) + sum(min(p, q))") - 1) < 1e-12);
  assert.ok(Math.abs(value("exp(-H)") - 0.4 ** 0.4 * 0.6 ** 0.6) < 1e-12);
  assert.equal(value("min(3, 1, 2)"), 1);
});

test("what is no formula is refused at its character", () => {
  const refused = {
    "": ["value", 0],
    "p +": ["value", 3],
    "p / / q": ["value", 4],
    "min()": ["value", 4],
    "p q": ["unexpected", 2],
    "p)": ["unexpected", 1],
    "(p": ["missing", 2],
    "min p": ["missing", 4],
    "sum(p, q)": ["missing", 5],
    "p + u": ["unknown", 4],
    "p; q": ["unexpected", 1],
    "sum(sum(p))": ["nested", 4],
    "p / (q - 0.3)": ["zero", 2],
    "0^-1": ["infinite", 1],
    "(0 - 1)^0.5": ["infinite", 7],
    "exp(1000)": ["infinite", 0],
  };
  for (const [text, expected] of Object.entries(refused)) assert.deepEqual(refusal(text), expected, text);
  assert.deepEqual(refusal(`${"(".repeat(40)}p${")".repeat(40)}`), ["deep", 16]);
  assert.deepEqual(refusal("p".padEnd(MAX_LENGTH + 1)), ["long", MAX_LENGTH]);
  assert.equal(refusal("p".padEnd(MAX_LENGTH)), null);
});

test("nothing that is typed is run: names of the language are unknown", () => {
  for (const text of ["constructor", "toString", "hasOwnProperty", "eval", "globalThis", "process"])
    assert.deepEqual(refusal(text), ["unknown", 0], text);
  for (const text of ["p.constructor", "min`1`", "p => p", "p[0]", "p = 1"]) assert.notEqual(refusal(text), null, text);
});

test("two thousand random texts give a number or are refused", () => {
  const random = mulberry(7);
  const signs = [..."pqiKH0123.()+-*/^<>, ·−é😀\"'`\\;={}[]_", "min(", "max(", "sum(", "exp(", "alert(1)", "__proto__"];
  for (let n = 0; n < 2000; n++) {
    const text = Array.from({ length: 1 + 30 * random() }, () => signs[Math.floor(random() * signs.length)]).join("");
    if (refusal(text) === null) assert.ok(Number.isFinite(value(text)), text);
  }
});
