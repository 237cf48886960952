import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText } from "../../../assets/keep/line.js";

const words = { nothing: "nothing", busy: "busy" };
const texts = (line) => Object.keys(line.values).map((name) => cellText(line, name, words));

test("settings and numbers are said as a person reads them", () => {
  const values = { K: 3, draft: null, prompt: "a\nb", speedup: 1.5, alpha: 0.75, tokens_per_forward: null };
  assert.deepEqual(texts({ disturbed: false, values }), ["3", "nothing", "a↵b", "1.50 ×", "75.0 %", "nothing"]);
});

test("of a disturbed run only what was counted is said", () => {
  const values = { speedup: 1.5, tokens_per_forward: 2.5 };
  assert.deepEqual(texts({ disturbed: true, values }), ["busy", "2.50"]);
});
