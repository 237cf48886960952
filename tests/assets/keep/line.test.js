import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { cellText } from "../../../assets/keep/line.js";

const words = { nothing: "nothing", busy: "busy", processor: "{speedup} by processor time" };
const texts = (line) => Object.keys(line.values).map((name) => cellText(line, name, words));

test("settings and numbers are said as a person reads them", () => {
  const values = { K: 3, draft: null, prompt: "a\nb", speedup: 1.5, alpha: 0.75, tokens_per_forward: null };
  assert.deepEqual(texts({ timed: "wall", values }), ["3", "nothing", "a↵b", "1.50 ×", "75.0 %", "nothing"]);
});

test("of a disturbed run only what was counted is said, and a speedup by processor time where that is known", () => {
  const values = { speedup: 1.5, tokens_per_forward: 2.5 };
  assert.equal(texts({ timed: "processor", values })[0], "1.50 × by processor time");
  assert.deepEqual(texts({ timed: null, values }), ["busy", "2.50"]);
});
