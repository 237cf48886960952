import assert from "node:assert/strict";
import { test } from "node:test";
import { distance } from "../../../../assets/lab/mistakes/distributions.js";
import { FormulaError } from "../../../../assets/lab/mistakes/expression.js";
import { fields } from "../../../../assets/lab/mistakes/fields.js";
import { overAcceptedToken, ownRule, PRESETS } from "../../../../assets/lab/mistakes/own.js";
import { RULES } from "../../../../assets/lab/mistakes/rules.js";
import { EXAMPLES, example, language } from "../../../../assets/lab/mistakes/sources.js";
import { open } from "../../dom.js";

const [P, Q] = EXAMPLES.example;
const rule = (key) => RULES.find((one) => one.key === key);
const own = (accept, replace = "max(p - q, 0)") => ownRule({ accept, replace });
function refusal(accept, replace) {
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
      assert.ok(distance(testCase.exact(ownRule(PRESETS[key])), testCase.exact(rule(key))) < 1e-12, key);
      assert.ok(
        Math.abs(testCase.roundMeans(ownRule(PRESETS[key])).tokens - testCase.roundMeans(rule(key)).tokens) < 1e-12,
        key,
      );
    }
  }
});

test("a rule that is exact for one p and q alone has a counterexample, and one that is exact has none", () => {
  for (const [key, { elsewhere }] of Object.entries(PRESETS).map(([key, formulas]) => [key, ownRule(formulas)]))
    assert.equal(elsewhere === null, key === "rejection" || key === "match", key);
  const lucky = own("4 / 7", "p - q * 4 / 7");
  assert.ok(distance(example("example").exact(lucky), P) < 1e-12);
  const { p, q, i, error } = lucky.elsewhere;
  assert.deepEqual([error.part, error.key], ["replace", "negative"]);
  assert.ok(p.length === q.length && i >= 1);
  assert.equal(own("min(1, p / q) * (i < 3)").elsewhere.i, 3);
});

test("a replacement makes a rule exact, unless a token is accepted more often than p gives it", () => {
  assert.equal(overAcceptedToken(own("min(1, p / q)", "p").token, P, Q), null);
  const { x, accepted } = overAcceptedToken(ownRule(PRESETS.threshold).token, P, Q);
  assert.deepEqual([x, accepted.toFixed(2)], [0, "0.70"]);
  assert.ok(distance(example("example").exact(own("min(1, p / q)^2", "p - q * min(1, p / q)^2")), P) < 1e-12);
});

test("what is no chance and no weight is refused with the field and the token", () => {
  assert.deepEqual(refusal("p / q"), ["accept", "chance", 1]);
  assert.deepEqual(refusal("-p"), ["accept", "chance", 0]);
  assert.deepEqual(refusal("p", "p - q"), ["replace", "negative", 0]);
  assert.deepEqual(refusal("p", "0"), ["replace", "zeros", undefined]);
  assert.deepEqual(refusal("1 / (p - 0.4)"), ["accept", "zero", 0]);
  assert.deepEqual(refusal("p", "p * 9^300 * 9^20"), null);
  assert.equal(refusal("1", "0"), null); // nothing is ever replaced
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
  assert.deepEqual(
    [accept, replace].map((input) => input.getAttribute("aria-invalid")),
    ["true", "false"],
  );
  assert.equal(document.querySelector(".brk-place mark").textContent, "/");
  assert.deepEqual(inputs.settings(), { rule: "own", accept: "p // q", replace: "p * (1 - q)" });
  presets.value = "rejection";
  presets.dispatchEvent(new Event("change"));
  assert.deepEqual([accept.value, accept.getAttribute("aria-invalid")], ["min(1, p / q)", "false"]);
  assert.deepEqual(inputs.settings(), { rule: "own" });
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
