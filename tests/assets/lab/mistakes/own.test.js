import assert from "node:assert/strict";
import { test } from "node:test";
import { distance } from "../../../../assets/lab/mistakes/distributions.js";
import { FormulaError } from "../../../../assets/lab/mistakes/expression.js";
import { fields } from "../../../../assets/lab/mistakes/fields.js";
import { overAccepted, ownRule, PRESETS } from "../../../../assets/lab/mistakes/own.js";
import { EXAMPLES, example, language } from "../../../../assets/lab/mistakes/sources.js";
import { RULES } from "../../../../assets/lab/mistakes/table.js";
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
    for (const now of [example("example"), example("zero"), language()]) {
      assert.ok(distance(now.exact(ownRule(PRESETS[key])), now.exact(rule(key))) < 1e-12, key);
      assert.ok(Math.abs(now.kept(ownRule(PRESETS[key])).tokens - now.kept(rule(key)).tokens) < 1e-12, key);
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
  assert.equal(overAccepted(own("min(1, p / q)", "p").token, P, Q), null);
  const { x, accepted } = overAccepted(ownRule(PRESETS.threshold).token, P, Q);
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
  const found = [];
  const bench = { words, asked: { rule: "own", accept: "p", replace: "p * (1 - q)" }, say() {} };
  const ask = fields(bench, (now, settled) => found.push([ask.trial(now), settled]));
  document.querySelector("main").append(...ask.nodes.flat());
  ask.begin();
  const [accept, replace] = document.querySelectorAll(".brk-own input");
  const [presets] = document.querySelectorAll(".brk-own select");
  assert.deepEqual([accept.value, replace.value, presets.value], ["p", "p * (1 - q)", "match"]);
  assert.ok(found[0][0].off < 1e-12);
  accept.value = "p // q";
  accept.dispatchEvent(new Event("input"));
  const [{ wrong }, settled] = found[1];
  assert.deepEqual([wrong, settled], ["wrong_value own_accept {field} {at} 4", false]);
  assert.deepEqual(
    [accept, replace].map((input) => input.getAttribute("aria-invalid")),
    ["true", "false"],
  );
  assert.equal(document.querySelector(".brk-place mark").textContent, "/");
  assert.deepEqual(ask.settings(), { rule: "own", accept: "p // q", replace: "p * (1 - q)" });
  presets.value = "rejection";
  presets.dispatchEvent(new Event("change"));
  assert.deepEqual([accept.value, accept.getAttribute("aria-invalid")], ["min(1, p / q)", "false"]);
  assert.deepEqual(ask.settings(), { rule: "own" });
});
