import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { byCard, byFile, byNumbers, decisionOf, flagText, nextMeasurement } from "../../../assets/record/decision.js";

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");
const hardware = JSON.parse(read("../../../assets/shared/hardware.json"));

function holds(value, wanted) {
  if (typeof wanted === "number")
    assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${value} is not ${wanted}`);
  else if (typeof wanted === "object" && wanted) for (const key of Object.keys(wanted)) holds(value[key], wanted[key]);
  else assert.equal(value, wanted);
}

test("the page decides as specviz/picture/decision.py does", () => {
  const cases = JSON.parse(read("decided.json"));
  assert.equal(cases.length, 16);
  assert.deepEqual(new Set(cases.map((each) => each.widest)), new Set(["K", "acceptance", "costs"]));
  for (const { evidence, costs, decided, widest: what, loads, flags } of cases) {
    holds(decisionOf(evidence, costs), decided);
    assert.equal(nextMeasurement(evidence, costs), what);
    for (const [known, text] of Object.values(flags)) assert.equal(flagText(known, loads), text);
  }
});

test("two numbers are a line through 1 and v, and v from the first draft on", () => {
  const [line, flat] = byNumbers(4, 0.1, 1.4).map(({ v }) => v.slice(0, 6).map((cost) => Number(cost.toFixed(9))));
  assert.deepEqual(line, [1, 1.1, 1.2, 1.3, 1.4, 1.5]);
  assert.deepEqual(flat, [1, 1.4, 1.4, 1.4, 1.4, 1.4]);
});

test("a file of make costs gives costs by requests at a time, and another file none", () => {
  const text = read("../../../assets/costs/nvidia-h100-80gb-hbm3.json");
  const { curves } = JSON.parse(text);
  const rows = byFile(text) ?? [];
  assert.deepEqual(
    rows.map(([texts]) => texts),
    curves[0].batches,
  );
  holds(rows[2][1][0], {
    c: curves[1].ms[2][0] / curves[0].ms[2][0],
    v: curves[0].ms[2].map((ms) => ms / curves[0].ms[2][0]),
  });
  const short = { batches: [1], blocks: [1], ms: [[1]] };
  assert.equal(byFile(JSON.stringify({ curves: [short, short] })), null);
  for (const bad of ["", "[]", "{}", '{"curves": []}', text.replace("[", "[-1,"), '{"curves": [{"blocks": [1]}]}'])
    assert.equal(byFile(bad), null);
});

test("a card gives the middle first and an end for each corner of what is assumed", () => {
  const model = (key) => hardware.models.find((one) => one.key === key);
  const card = hardware.cards.find((one) => one.key === "h100");
  const costs = byCard(hardware, card, model("llama-3.1-8b"), model("llama-3.2-1b"), { texts: 1, context: 2048 });
  assert.equal(costs.length, 9);
  assert.ok(costs.every(({ c, v }) => c > 0.05 && c < 0.5 && v[0] === 1 && v[15] < 1.5));
});
