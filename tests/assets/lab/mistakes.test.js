import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, FormulaError, MAX_LENGTH, overAcceptedToken, ownRule, PRESETS } from "../../../assets/lab/mistakes/own.js";
import { fields, linesOf } from "../../../assets/lab/mistakes/panel.js";
import { distance, enumerateOutcomes, positionCase, RULES, samplingChance } from "../../../assets/lab/mistakes/rules.js";
import {
  chiSquare,
  EXAMPLES,
  example,
  language,
  makeTrial,
  placesOf,
  recordedSource,
  typedSource,
  upperGamma,
} from "../../../assets/lab/mistakes/trial.js";
import { frequencyText } from "../../../assets/lab/mistakes/verdict.js";
import { mulberry } from "../../../assets/shared/formulas.js";
import { open } from "../dom.js";
import { mapped } from "../mapped.js";

test("the p-value is that of the tables", () => {
  const table = [
    [1, 3.841459, 0.05],
    [3, 7.814728, 0.05],
    [3, 16.266236, 0.001],
    [10, 3.940299, 0.95],
    [26, 38.885139, 0.05],
  ];
  for (const [freedom, chi, p] of table) assert.ok(Math.abs(upperGamma(freedom / 2, chi / 2) - p) < 1e-6, `${freedom} ${chi}`);
});

test("χ² of counts is the sum over cells of what was expected, small cells together; what p rules out needs no test", () => {
  const result = chiSquare([30, 20], [0.5, 0.5]);
  assert.deepEqual([result.chi, result.freedom], [2, 1]);
  assert.equal(chiSquare([50, 48, 1, 1], [0.5, 0.48, 0.01, 0.01]).freedom, 1);
  assert.equal(chiSquare([3, 0], [1, 0]).p, null);
  assert.equal(chiSquare([10, 1, 0], [1, 0, 0]).impossible, 1);
});

test("a p-value is said as a person says it", () => {
  const words = { never: "never", of_hundred: "{n} of 100", one_of: "1 of {n}" };
  mapped([0.62, 0.05, 0.0013, 1e-12], (p) => frequencyText(p, words), ["62 of 100", "1 of 20", "1 of 770", "never"]);
});

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

const [OWN_P, Q] = EXAMPLES.example;
const typedRule = (key) => RULES.find((one) => one.key === key);
const own = (accept, replace = "max(p - q, 0)") => ownRule({ accept, replace });
function ownRefusal(accept, replace) {
  try {
    example("example").exact(own(accept, replace));
  } catch (error) {
    assert.ok(error instanceof FormulaError);
    return [error.part, error.key, error.values.x];
  }
  return null;
}

test("a rule in use has the same distribution as formulas and as code, for one token and for whole texts", () => {
  for (const key of ["rejection", "match", "typical", "resample"]) {
    for (const testCase of [example("example"), example("zero"), language()]) {
      assert.ok(distance(testCase.exact(ownRule(PRESETS[key])), testCase.exact(typedRule(key))) < 1e-12, key);
      assert.ok(
        Math.abs(testCase.roundMeans(ownRule(PRESETS[key])).tokens - testCase.roundMeans(typedRule(key)).tokens) < 1e-12,
        key,
      );
    }
  }
});

test("a rule that is exact for one p and q alone has a counterexample, and one that is exact has none", () => {
  for (const [key, { elsewhere }] of Object.entries(PRESETS).map(([key, formulas]) => [key, ownRule(formulas)]))
    assert.equal(elsewhere === null, key === "rejection" || key === "match", key);
  const lucky = own("4 / 7", "p - q * 4 / 7");
  assert.ok(distance(example("example").exact(lucky), OWN_P) < 1e-12);
  const { p, q, i, error } = lucky.elsewhere;
  assert.deepEqual([error.part, error.key], ["replace", "negative"]);
  assert.ok(p.length === q.length && i >= 1);
  assert.equal(own("min(1, p / q) * (i < 3)").elsewhere.i, 3);
});

test("a replacement makes a rule exact, unless a token is accepted more often than p gives it", () => {
  assert.equal(overAcceptedToken(own("min(1, p / q)", "p").token, OWN_P, Q), null);
  const { x, accepted } = overAcceptedToken(ownRule(PRESETS.threshold).token, OWN_P, Q);
  assert.deepEqual([x, accepted.toFixed(2)], [0, "0.70"]);
  assert.ok(distance(example("example").exact(own("min(1, p / q)^2", "p - q * min(1, p / q)^2")), OWN_P) < 1e-12);
});

test("what is no chance and no weight is refused with the field and the token", () => {
  assert.deepEqual(ownRefusal("p / q"), ["accept", "chance", 1]);
  assert.deepEqual(ownRefusal("-p"), ["accept", "chance", 0]);
  assert.deepEqual(ownRefusal("p", "p - q"), ["replace", "negative", 0]);
  assert.deepEqual(ownRefusal("p", "0"), ["replace", "zeros", undefined]);
  assert.deepEqual(ownRefusal("1 / (p - 0.4)"), ["accept", "zero", 0]);
  assert.deepEqual(ownRefusal("p", "p * 9^300 * 9^20"), null);
  assert.equal(ownRefusal("1", "0"), null); // nothing is ever replaced
});

test("a formula that cannot be read marks its field and its character, and a link carries both formulas", () => {
  open("<main></main>");
  const words = new Proxy({}, { get: (_, key) => `${String(key)} {field} {at}`, ownKeys: () => [] });
  const calls = [];
  const context = { words, linkSettings: { rule: "own", accept: "p", replace: "p * (1 - q)" }, announce() {} };
  const inputs = fields(context, (testCase, settled) => calls.push([inputs.makeTrial(testCase), settled]));
  document.querySelector("main").append(...inputs.nodes.flat());
  inputs.loadSource();
  const [accept, replace] = document.querySelectorAll(".brk-own input");
  const [presets] = document.querySelectorAll(".brk-own select");
  assert.deepEqual([accept.value, replace.value, presets.value], ["p", "p * (1 - q)", "match"]);
  assert.ok(calls[0][0].off < 1e-12);
  accept.value = "p // q";
  accept.dispatchEvent(new Event("input"));
  const [{ wrong }, settled] = calls[1];
  assert.deepEqual([wrong, settled], ["wrong_value own_accept {field} {at} 4", false]);
  mapped([accept, replace], (input) => input.getAttribute("aria-invalid"), ["true", "false"]);
  assert.equal(document.querySelector(".brk-place mark").textContent, "/");
  assert.deepEqual(inputs.settings(), { rule: "own", accept: "p // q", replace: "p * (1 - q)" });
  presets.value = "rejection";
  presets.dispatchEvent(new Event("change"));
  assert.deepEqual([accept.value, accept.getAttribute("aria-invalid")], ["min(1, p / q)", "false"]);
  assert.deepEqual(inputs.settings(), { rule: "own" });
});

const rule = (key) => RULES.find((one) => one.key === key);
const [P] = EXAMPLES.example;
const SURE = [
  [1, 0, 0],
  [1, 0, 0],
];

test("every way that chance can fall is followed once", () => {
  const ways = enumerateOutcomes((chance) => (chance.below(0.25) ? "sure" : chance.pick([0.5, 0, 0.5])));
  assert.deepEqual(
    ways.map(({ result, chance }) => [result, chance]),
    [
      ["sure", 0.25],
      [0, 0.375],
      [2, 0.375],
    ],
  );
});

test("a right rule follows p, token by token and for whole texts, also where p and q agree or are sure", () => {
  const cases = [example("example"), example("zero"), language(), positionCase(["a", "b"], [0.5, 0.5], [0.5, 0.5])];
  for (const testCase of [...cases, positionCase(["a", "b", "c"], ...SURE)]) {
    for (const one of RULES.filter(({ right }) => right)) {
      assert.ok(distance(testCase.exact(one), testCase.p) < 1e-12, `${one.key} on ${testCase.names}`);
    }
  }
});

test("a mistake is seen somewhere: in whole texts, or where p rules a token out", () => {
  for (const one of RULES.filter(({ right }) => !right)) {
    assert.ok(distance(language().exact(one), language().p) > 1e-3, one.key);
  }
  assert.equal(example("zero").exact(rule("most"))[0], 0.5 / 256);
  assert.equal(example("zero").exact(rule("rejection"))[0], 0);
});

test("two children of one place are accepted more often than one, and a bonus that is not given costs tokens alone", () => {
  const turned = positionCase(["a", "b", "c"], [0.5, 0.2, 0.3], [0.1, 0.5, 0.4]);
  for (const key of ["recursive", "chosen"]) {
    assert.ok(turned.roundMeans(rule(key)).stays > turned.roundMeans(rule("match")).stays, key);
  }
  const [whole, fewer] = ["rejection", "unrewarded"].map((key) => language().roundMeans(rule(key)).tokens);
  assert.ok(fewer < whole && distance(language().exact(rule("unrewarded")), language().p) < 1e-12);
  assert.ok(language().roundMeans(rule("block")).tokens > whole);
});

test("what is drawn comes near the distribution that was enumerated, for every rule, and the same seed draws the same", () => {
  for (const testCase of [example("example"), example("zero"), language()]) {
    for (const one of RULES) {
      const trial = makeTrial(testCase, one, 3);
      trial.draw(4000);
      const luck = trial.exact.map((x) => 5 * Math.sqrt((x * (1 - x)) / 4000) + 1e-9);
      assert.ok(
        trial.counts.every((k, i) => Math.abs(k / 4000 - trial.exact[i]) < luck[i]),
        one.key,
      );
    }
  }
  const [once, again] = [1, 2].map(() => makeTrial(language(), RULES[0], 9));
  for (let i = 0; i < 4; i++) once.draw(50);
  again.draw(200);
  assert.deepEqual([once.n, once.counts, once.curve], [200, again.counts, again.curve]);
});

test("a u at the end of the scale draws a token that has a chance", () => {
  assert.equal(samplingChance(() => 1 - 2 ** -53).pick([0.1, 0.2, 0.7, 0]), 2);
  assert.equal(samplingChance(mulberry(1)).pick([0, 1]), 1);
});

test("the code that is shown is the code that runs, and one line of a wrong rule is marked", () => {
  for (const one of RULES) {
    const marked = linesOf(one).filter(({ wrong }) => wrong !== null);
    assert.equal(marked.length, one.right && one.key !== "unrewarded" ? 0 : 1, one.key);
    assert.ok(linesOf(one).length <= 16 && linesOf(one).every(({ text }) => !text.includes("✗") && !text.includes("@type")));
  }
  const [first, second] = linesOf(rule("rejection"));
  assert.deepEqual([first.text, second.text], ["(p, q, chance) => {", "  const x = chance.pick(q);"]);
});

test("what cannot be p and q is said, and nothing else is changed", () => {
  assert.ok(distance(typedSource(".4 .3; .2, .1", ".7 .15 .1 .05").p, P) < 1e-12);
  const refusals = [
    [["1", "1"], "typed_one"],
    [[".5 .5", "1"], "typed_length"],
    [[".5 .6", ".5 .5"], "typed_sum"],
    [["-.5 1.5", ".5 .5"], "typed_sum"],
    [["a b", ".5 .5"], "typed_sum"],
    [["", ".5 .5"], "typed_sum"],
    [[Array(20).fill(0.05).join(" "), Array(20).fill(0.05).join(" ")], "typed_most"],
  ];
  for (const [[p, q], wrong] of refusals) assert.equal(typedSource(p, q).wrong, wrong, `${p} | ${q}`);
});

test("a position of a run is its largest tokens and all others as one; a bonus and what was not observed have no q", () => {
  const token = (text) => ({ id: 1, text, partial: false });
  const at = { entries: [{ token: token(" a"), p: 0.6, q: 0.2 }], p_rest: 0.4, q_rest: 0.8, beta: 0.5 };
  const source = recordedSource({ name: "a", position: at, bonus: false }, "all others");
  assert.deepEqual([source.names, source.p, source.beta], [["␣a", "all others"], [0.6, 0.4], 0.5]);
  assert.equal(recordedSource({ name: "a", position: at, bonus: true }, "").wrong, "bonus");
  assert.equal(recordedSource({ name: "a", position: null, bonus: false }, "").wrong, "unseen");
  assert.equal(recordedSource({ name: "a", position: { ...at, q_rest: null }, bonus: false }, "").wrong, "unseen");
  const sure = { ...at, entries: [{ token: token("a"), p: 1, q: 1 }], p_rest: 0, q_rest: 0 };
  assert.equal(recordedSource({ name: "a", position: sure, bonus: false }, "").wrong, "certain");
  assert.deepEqual(placesOf(null), []);
  const round = {
    drafted: [{ token: token("x"), position: at }],
    emitted: [{ token: token("y"), role: "bonus", position: at }],
  };
  const places = placesOf({ lanes: { speculative: { rounds: [round] } } });
  assert.deepEqual(
    places.map(({ name, bonus }) => [name, bonus]),
    [
      ["x", false],
      ["y", true],
    ],
  );
});

test("a list of rules says of none whether it is right until it has been run", () => {
  open("<main></main>");
  const words = new Proxy({}, { get: (_, key) => String(key), ownKeys: () => [] });
  const inputs = fields({ words, linkSettings: {}, announce() {} }, (testCase) => inputs.makeTrial(testCase));
  document.querySelector("main").append(...inputs.nodes.flat());
  const list = document.querySelector("select[aria-label=rule]");
  const marked = () => [...list.options].filter(({ text }) => !text.startsWith("? rule_")).map(({ text }) => text);
  assert.deepEqual(marked(), []);
  inputs.loadSource();
  assert.deepEqual(marked(), ["✓ rule_rejection"]);
  list.value = "resample";
  list.dispatchEvent(new Event("change"));
  assert.deepEqual(marked(), ["✓ rule_rejection", "✗ rule_resample"]);
});
