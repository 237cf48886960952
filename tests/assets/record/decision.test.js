import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { byNumbers, decisionOf, flagText, nextMeasurement } from "../../../assets/record/decision.js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

function holds(value, wanted) {
  if (typeof wanted === "number")
    assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${value} is not ${wanted}`);
  else if (typeof wanted === "object" && wanted) for (const key of Object.keys(wanted)) holds(value[key], wanted[key]);
  else assert.equal(value, wanted);
}

test("the page decides as specviz/picture/record.py does", () => {
  const cases = JSON.parse(read("decided.json"));
  assert.equal(cases.length, 16);
  assert.deepEqual(new Set(cases.map((each) => each.widest)), new Set(["K", "acceptance", "costs"]));
  for (const { evidence, costs, decided, widest: what, flags } of cases) {
    holds(decisionOf(evidence, costs), decided);
    assert.equal(nextMeasurement(evidence, costs), what);
    for (const [known, text] of Object.values(flags)) assert.equal(flagText(known, decided.best), text);
  }
});

test("two numbers are a line through 1 and v, and v from the first draft on", () => {
  const [line, flat] = byNumbers(4, 0.1, 1.4).map(({ v }) => v.slice(0, 6).map((cost) => Number(cost.toFixed(9))));
  assert.deepEqual(line, [1, 1.1, 1.2, 1.3, 1.4, 1.5]);
  assert.deepEqual(flat, [1, 1.4, 1.4, 1.4, 1.4, 1.4]);
});
