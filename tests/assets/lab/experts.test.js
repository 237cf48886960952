import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expertsReason } from "../../../assets/lab/experts.js";
import { loadSentence } from "../../../assets/lab/load/told.js";
import { bestOf, byFormula, denseOf, readOf, servedBy } from "../../../assets/shared/serving.js";

const hardware = JSON.parse(readFileSync(new URL("../../../assets/shared/hardware.json", import.meta.url), "utf8"));
const model = (/** @type {string} */ key) => hardware.models.find((/** @type {any} */ one) => one.key === key);
const where = { card: hardware.cards[0], devices: 2, reach: 1, launch: 0 };
const words = { experts: "{v} {active} {K} {speedup}" };

/** @param {string} target @param {string} draft @param {number} alpha @param {number} [texts] */
function reason(target, draft, alpha, texts = 1) {
  const best = (/** @type {any} */ size) =>
    bestOf(servedBy(byFormula(size, model(draft), where, { texts, context: 1024 }), [alpha], texts));
  return { sentence: expertsReason(model(target), texts, best, words), best };
}

test("a dense model reads for every token what the mixture reads for one", () => {
  const mixture = model("mixtral-8x7b");
  for (const tokens of [1, 2, 9]) assert.ok(Math.abs(readOf(denseOf(mixture), tokens) - readOf(mixture, 1)) < 1e-9);
});

test("a draft that is right nine times of ten does not help a mixture, and the dense model beside it shows why", () => {
  const { sentence, best } = reason("mixtral-8x7b", "llama-2-7b", 0.9);
  const dense = best(denseOf(model("mixtral-8x7b")));
  assert.equal(best(model("mixtral-8x7b")).K, 0);
  assert.deepEqual(sentence, [`1.66 12.9 ${dense.K} ${dense.speedup.toFixed(2)}`]);
  assert.ok(dense.K > 0 && dense.speedup > 1);
});

test("what the key of the exercise says of it is so", () => {
  const [target, draft] = [model("mixtral-8x7b"), model("llama-2-7b")];
  const passes = byFormula(target, draft, where, { texts: 1, context: 1024 });
  const [c, v] = [passes.draft / passes.target[0], passes.target[1] / passes.target[0]];
  const found = [readOf(target, 2) / readOf(target, 1), c, c + v].map((cost) => cost.toFixed(2));
  assert.deepEqual(found, ["1.66", "0.54", "2.19"]);
});

test("experts are no reason where drafts pay, where the draft is the cause, or where the target is dense", () => {
  assert.deepEqual(reason("mixtral-8x7b", "llama-3.2-1b", 0.9).sentence, []);
  assert.deepEqual(reason("mixtral-8x7b", "llama-2-7b", 0.5).sentence, []);
  assert.deepEqual(reason("llama-3.1-8b", "llama-2-7b", 0.5).sentence, []);
});

test("Load says it after its first sentence by formula, and not for passes that were measured", () => {
  const models = [model("mixtral-8x7b"), model("llama-2-7b")];
  const passesOf = (/** @type {number} */ texts) => byFormula(models[0], models[1], where, { texts, context: 1024 });
  const asked = { models, where, context: 1024, texts: 1, alpha: 0.9, apart: 0.1, grid: [1, 2], passesOf };
  const here = servedBy(passesOf(1), [0.9], 1);
  const said = (/** @type {any} */ found) => loadSentence(/** @type {any} */ ({ ...asked, found }), here, anyWords);
  assert.match(said(null)[1], /^experts /);
  assert.ok(!said({}).some((line) => line.startsWith("experts ")));
});

/** @type {Record<string, string>} each word is its own name and, of this one, the first value */
const anyWords = new Proxy({}, { get: (_, name) => (name === "experts" ? "experts {v}" : String(name)) });
