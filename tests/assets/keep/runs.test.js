import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { factor, told } from "../../../assets/keep/runs.js";

const words = { nothing: "nothing", yes: "yes", no: "no" };
const run = (/** @type {any} */ settings, /** @type {any} */ numbers = {}) => ({
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
    names.map((name) => told(one, name, words)),
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
  ].map(([a, b]) => factor(run({}, a), run({}, b), "x"));
  assert.deepEqual(factors, [1.5, 0, null, null, null]);
});
