import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText, comparableNames, isUnclear, ratioOf } from "../../../assets/keep/runs.js";

const words = { nothing: "nothing", yes: "yes", no: "no" };
const run = (settings, numbers = {}) => ({
  id: "",
  source: "run",
  created: "2026-01-01T00:00:00Z",
  settings,
  numbers,
});

test("a setting and a number are told as a person reads them", () => {
  const one = run(
    { K: 3, draft: null, adaptive: false, prompt: "a\nb", stop: "" },
    { speedup: 1.5, alpha: 0.75, tokens: 64, tokens_per_forward: null },
  );
  const names = ["K", "draft", "adaptive", "prompt", "stop", "speedup", "alpha", "tokens", "tokens_per_forward"];
  assert.deepEqual(
    names.map((name) => cellText(one, name, words)),
    ["3", "nothing", "no", "a↵b", "nothing", "1.50 ×", "75.0 %", "64", "nothing"],
  );
});

test("numbers differ by a factor where both runs have one and the first is not zero", () => {
  const factors = [
    [{ x: 2 }, { x: 3 }],
    [{ x: 2 }, { x: 0 }],
    [{ x: 0 }, { x: 3 }],
    [{ x: 2 }, { x: null }],
    [{}, { x: 3 }],
  ].map(([a, b]) => ratioOf(run({}, a), run({}, b), "x"));
  assert.deepEqual(factors, [1.5, 0, null, null, null]);
});

test("of a disturbed run only what was counted is told and compared", () => {
  const numbers = { speedup: 1.5, tokens_per_second: 90, tokens: 64 };
  const quiet = run({}, numbers);
  const busy = { ...quiet, disturbed: true };
  assert.deepEqual(
    ["speedup", "tokens_per_second", "tokens"].map((name) => cellText(busy, name, { ...words, busy: "busy" })),
    ["busy", "busy", "64"],
  );
  assert.deepEqual(comparableNames(quiet, quiet), ["speedup", "tokens_per_second", "tokens"]);
  for (const [a, b] of [
    [quiet, busy],
    [busy, quiet],
  ])
    assert.deepEqual(comparableNames(a, b), ["tokens"]);
});

test("two numbers differ clearly only where their intervals do not touch", () => {
  const sure = (low, high) => ({
    ...run({}),
    sure: { speedup: [low, high] },
  });
  const first = sure(1, 2);
  assert.deepEqual(
    [sure(1.9, 3), sure(0, 1), sure(2.1, 3), sure(0.1, 0.9), run({})].map((b) => isUnclear(first, b, "speedup")),
    [true, true, false, false, false],
  );
  assert.equal(isUnclear(first, first, "tokens"), false);
});
