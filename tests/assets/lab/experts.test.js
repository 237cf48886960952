import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { expertsReason } from "../../../assets/lab/experts.js";
import { loadSentences } from "../../../assets/lab/load/sentences.js";
import { bestOf, byFormula, denseOf, parametersRead, servingByK } from "../../../assets/shared/serving.js";

const hardware = JSON.parse(readFileSync(new URL("../../../assets/shared/hardware.json", import.meta.url), "utf8"));
const modelByKey = (key) => hardware.models.find((model) => model.key === key);
const where = { card: hardware.cards[0], devices: 2, reach: 1, launch: 0 };
const words = { experts: "{v} {active} {K} {speedup}" };

function reason(target, draft, alpha, texts = 1) {
  const best = (size) =>
    bestOf(servingByK(byFormula(size, modelByKey(draft), where, { texts, context: 1024 }), [alpha], texts));
  return { sentence: expertsReason(modelByKey(target), texts, best, words), best };
}

test("a dense model reads for every token what the mixture reads for one", () => {
  const mixture = modelByKey("mixtral-8x7b");
  for (const tokens of [1, 2, 9])
    assert.ok(Math.abs(parametersRead(denseOf(mixture), tokens) - parametersRead(mixture, 1)) < 1e-9);
});

test("a draft that is right nine times of ten does not help a mixture, and the dense model beside it shows why", () => {
  const { sentence, best } = reason("mixtral-8x7b", "llama-2-7b", 0.9);
  const dense = best(denseOf(modelByKey("mixtral-8x7b")));
  assert.equal(best(modelByKey("mixtral-8x7b")).K, 0);
  assert.deepEqual(sentence, [`1.66 12.9 ${dense.K} ${dense.speedup.toFixed(2)}`]);
  assert.ok(dense.K > 0 && dense.speedup > 1);
});

test("what the key of the exercise says of it is so", () => {
  const [target, draft] = [modelByKey("mixtral-8x7b"), modelByKey("llama-2-7b")];
  const passes = byFormula(target, draft, where, { texts: 1, context: 1024 });
  const [c, v] = [passes.draft / passes.target[0], passes.target[1] / passes.target[0]];
  const ratios = [parametersRead(target, 2) / parametersRead(target, 1), c, c + v].map((cost) => cost.toFixed(2));
  assert.deepEqual(ratios, ["1.66", "0.54", "2.19"]);
});

test("experts are no reason where drafts pay, where the draft is the cause, or where the target is dense", () => {
  assert.deepEqual(reason("mixtral-8x7b", "llama-3.2-1b", 0.9).sentence, []);
  assert.deepEqual(reason("mixtral-8x7b", "llama-2-7b", 0.5).sentence, []);
  assert.deepEqual(reason("llama-3.1-8b", "llama-2-7b", 0.5).sentence, []);
});

test("Load says it after its first sentence by formula, and not for passes that were measured", () => {
  const models = [modelByKey("mixtral-8x7b"), modelByKey("llama-2-7b")];
  const passesOf = (texts) => byFormula(models[0], models[1], where, { texts, context: 1024 });
  const load = { models, where, context: 1024, texts: 1, alpha: 0.9, apart: 0.1, grid: [1, 2], passesOf };
  const here = servingByK(passesOf(1), [0.9], 1);
  const sentences = (measured) => loadSentences({ ...load, measured }, here, anyWords);
  assert.match(sentences(null)[1], /^experts /);
  assert.ok(!sentences({}).some((line) => line.startsWith("experts ")));
});

/** each word is its own name and, of this one, the first value */
const anyWords = new Proxy({}, { get: (_, name) => (name === "experts" ? "experts {v}" : String(name)) });
