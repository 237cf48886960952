import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { isAccepted } from "../../../assets/learn/chapters/accept.js";
import { bestSpeedup, causes, costs, DRAFT, TARGET, WHERE } from "../../../assets/learn/chapters/busy.js";
import { acceptedCount } from "../../../assets/learn/chapters/draft.js";
import { bestRules, chancesOf, largestIndex, shiftMass } from "../../../assets/learn/chapters/engines.js";
import { drawOnce, entryAt, gap, noDraws, shareDrawn, wrongShare } from "../../../assets/learn/chapters/residual.js";
import { costText, orderByChance, shapeOf } from "../../../assets/learn/chapters/ways.js";
import { bound, megabytes } from "../../../assets/learn/picture.js";
import { compareEstimate, nearest } from "../../../assets/learn/question.js";
import { addressChapter } from "../../../assets/learn/tab.js";
import { cacheBytes, mulberry, parametersRead, passMs, textCapacity } from "../../../assets/shared/formulas.js";
import { mapped } from "../mapped.js";

test("a coin below p/q keeps a token, and nothing keeps what the target would never say", () => {
  mapped([0.49, 0.5, 0.51], (u) => isAccepted({ p: 0.3, q: 0.6 }, u), [true, false, false]);
  assert.equal(isAccepted({ p: 0, q: 0.5 }, 0), false);
});

const hardGuess = (verdict, p_entropy) => ({
  verdict,
  position: p_entropy === undefined ? null : { p_entropy, q_entropy: 0 },
});
const rounds = [
  { drafted: [hardGuess("accepted", 0.05), hardGuess("rejected", 1.4), hardGuess("unexamined")] },
  { drafted: [hardGuess("rejected", 0.09), hardGuess("unexamined")] },
  { drafted: [hardGuess("accepted", 2.5), hardGuess("accepted", 0.3)] },
];

test("of guesses those count that were tested, at places as easy or as hard as is asked", () => {
  assert.deepEqual(
    acceptedCount(rounds, (level) => level === 0),
    { accepted: "1", of: "2" },
  );
  assert.deepEqual(
    acceptedCount(rounds, (level) => level >= 3),
    { accepted: "1", of: "2" },
  );
});

const part = (p, q) => ({ token: null, p, q, shared: Math.min(p, q), excess: Math.max(0, p - q) });
const position = { entries: [part(0.4, 0.7), part(0.3, 0.15), part(0.2, 0.1), part(0.1, 0.05)], beta: 0.7 };
const [first, second, third, last] = position.entries;

/** Chances that come as they are listed. */
function uniforms(...us) {
  return () => us.shift();
}

test("a token is drawn as often as it is likely, and from the residual none that q has enough of, whatever u is", () => {
  mapped([0, 0.69, 0.71, 0.86, 0.96], (u) => entryAt(position.entries, "q", u), [first, first, second, third, last]);
  mapped([0, 0.49, 0.51, 0.84, 0.99], (u) => entryAt(position.entries, "excess", u), [second, second, third, last, last]);
  const entries = [part(0.5, 0.2), part(0.5, 0.8)];
  assert.equal(entryAt(entries, "excess", 1), entries[0]);
});

test("a draft below p/q stays; at p/q it goes and is replaced from the residual", () => {
  const counts = noDraws();
  drawOnce(position, uniforms(0, 0.57), counts); // p/q = 4/7
  drawOnce(position, uniforms(0, 0.58, 0.51), counts);
  assert.deepEqual([counts.n, counts.accepted, counts.fromDraft.get(first), counts.fromResidual.get(third)], [2, 1, 1, 1]);
  const never = part(0, 1);
  const certain = { entries: [never, part(1, 0)], beta: 0 };
  drawOnce(certain, uniforms(0, 0, 0), counts);
  assert.equal(counts.fromDraft.get(never), undefined);
});

test("before anything is drawn every share is 0, and the gap is the largest p", () => {
  assert.deepEqual([shareDrawn(noDraws(), first), gap(position, noDraws())], [0, 0.4]);
});

test("the same seed gives the same chances, another one others", () => {
  const draws = (seed) => Array.from({ length: 5 }, mulberry(seed));
  assert.deepEqual(draws(1), draws(1));
  assert.notDeepEqual(draws(1), draws(2));
  assert.ok(Array.from({ length: 1000 }, mulberry(3)).every((u) => u >= 0 && u < 1));
});

test("with replacements from p, what the draft favours comes out too often: .52 instead of .40", () => {
  assert.ok(Math.abs(wrongShare(position, first) - 0.52) < 1e-12);
  assert.ok(Math.abs(position.entries.reduce((sum, e) => sum + wrongShare(position, e), 0) - 1) < 1e-12);
});

test("the wrong rule is drawn beside the right one, from the same drafts and coins, and its gap stays", () => {
  const counts = noDraws();
  const chance = mulberry(1);
  for (let i = 0; i < 20_000; i++) drawOnce(position, chance, counts);
  const replaced = (by) => [...by.values()].reduce((a, b) => a + b, 0);
  assert.equal(replaced(counts.fromTarget), replaced(counts.fromResidual));
  assert.ok(Math.abs(shareDrawn(counts, first, "fromTarget") - 0.52) < 0.015);
  assert.ok(gap(position, counts, "fromTarget") > 0.1);
});

const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1e-12, `${value} is not ${wanted}`);

test("on the two examples of docs/rules.md each rule keeps what stands there", () => {
  const draft = chancesOf([0.4, 0.3, 0.2, 0.1], [0.7, 0.15, 0.1, 0.05]);
  const target = chancesOf([0.9, 0.05, 0.05], [0.4, 0.3, 0.3]);
  for (const [chances, wanted] of [
    [draft, [0.7, 0.35, 0.4]],
    [target, [0.5, 0.39, 0.9]],
  ]) {
    near(chances.rejection, wanted[0]);
    near(chances.match, wanted[1]);
    near(chances.argmax, wanted[2]);
  }
  assert.deepEqual([bestRules(draft), bestRules(target)], [["rejection"], ["argmax"]]);
});

test("rules that keep alike are all the most, and of equal chances the first is the largest", () => {
  assert.deepEqual(bestRules(chancesOf([1, 0, 0], [1, 0, 0])), ["rejection", "match", "argmax"]);
  assert.equal(largestIndex([0.4, 0.4, 0.2]), 0);
});

test("three chances stay three chances wherever one is moved", () => {
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.5), [0.5, 0.35, 0.15]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.9), [0.9, 0.1, 0]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 1, 1), [0, 1, 0]);
});

test("a pass reads the weights once and the cache of every text, and computes for every token", () => {
  const [read, compute] = passMs(TARGET, WHERE, { texts: 10, context: 1000 }, 4);
  assert.equal(cacheBytes(TARGET), 2 * 80 * 8 * 128 * 2);
  assert.equal(read.toFixed(9), ((1e3 * (141.2e9 + 10 * 1000 * 327_680)) / (8 * 3.35e12)).toFixed(9));
  assert.equal(compute.toFixed(9), ((1e3 * 40 * (141.2e9 + 4 * 1000 * 80 * 64 * 128)) / (8 * 989e12)).toFixed(9));
});

test("a mixture of experts reads what is active for one token and nearly all for many", () => {
  const mixture = { name: "", parameters: 30.5, active: 3.3, experts: 128, chosen: 8 };
  assert.deepEqual(
    [1, 4, 10_000].map((tokens) => parametersRead(mixture, tokens).toFixed(1)),
    ["3.3", "8.1", "30.5"], // so a check is not free, even for one text
  );
  assert.equal(parametersRead(TARGET, 1000), 70.6);
});

test("the longer the texts, the nearer a draft step comes to the ratio of the caches, and the draft takes room from texts", () => {
  const c = [512, 8192, 131_072].map((context) => costs({ texts: 64, context }, 1).c);
  assert.ok(c[0] < c[1] && c[1] < c[2] && c[2] < cacheBytes(DRAFT) / cacheBytes(TARGET));
  assert.equal(textCapacity(TARGET, null, WHERE, 16_384), Math.floor((640e9 - 141.2e9) / (16_384 * 327_680)));
  assert.ok(textCapacity(TARGET, DRAFT, WHERE, 16_384) < textCapacity(TARGET, null, WHERE, 16_384));
  assert.equal(textCapacity(TARGET, null, WHERE, 1e9), 0);
});

test("what the key of the exercise says is so", () => {
  const [one, many] = [1, 512].map((texts) => costs({ texts, context: 512 }, 1));
  mapped([one.v, many.v, one.c, many.c], (value) => value.toFixed(2), ["1.00", "2.00", "0.11", "0.20"]);
  mapped([128, 8192], (context) => bestSpeedup({ texts: 64, context }, 0.7).K, [3, 2]);
});

const table = JSON.parse(readFileSync(new URL("slow.json", import.meta.url), "utf8"));

/** Level of each cause by its key, the likeliest first. */
const levels = (accepted, K, texts, model) =>
  Object.fromEntries(causes(table, { accepted, K, texts, model }).map(({ key, level }) => [key, level]));

test("a full card comes first where verifying takes all of its arithmetic", () => {
  // 64 requests and K = 4 are 320 tokens a pass, more than the 295 operations a byte that an H100 has
  assert.equal(Object.keys(levels(0.8, 4, 64, "dense"))[0], "load");
  assert.deepEqual([levels(0.8, 4, 58, "dense").load, levels(0.8, 4, 59, "dense").load], ["possible", "likely"]);
  assert.ok(!("load" in levels(0.8, 4, 1, "dense")));
});

test("a bad draft and a long block are told apart by how many guesses are thrown away", () => {
  const [short, long] = [levels(0.3, 2, 1, "dense"), levels(0.65, 8, 1, "dense")];
  assert.deepEqual([short.acceptance, short.block], ["likely", undefined]);
  assert.deepEqual([long.acceptance, long.block], [undefined, "possible"]);
  assert.equal(levels(0.5, 8, 1, "dense").block, "likely");
});

test("experts are a cause for a mixture and few requests only", () => {
  const byTexts = [1, 24, 256].map((texts) => levels(0.8, 3, texts, "experts").experts);
  assert.deepEqual(byTexts, ["likely", "possible", undefined]);
  assert.equal(levels(0.8, 3, 1, "dense").experts, undefined);
});

test("a small target makes the draft dear, and what nobody knows is always possible", () => {
  assert.deepEqual([levels(0.9, 2, 1, "small").draft, levels(0.9, 2, 1, "dense").draft], ["likely", undefined]);
  for (const model of Object.keys(table.models))
    for (const texts of [1, 24.5, 512]) {
      const { overhead, comparison, ...others } = levels(0.55, 4, texts, model);
      assert.deepEqual([overhead, comparison], ["possible", "possible"]);
      const order = Object.values(others);
      assert.deepEqual(order, [...order].sort(), "the likeliest cause stands first");
    }
});

// A chain and a tree of so many guesses: which the draft takes first, and what they give by the target's chances.
const guess = (parent, q, p) => ({ text: "x", parent, q, p });
const tree = [guess(-1, 0.5, 0.2), guess(-1, 0.3, 0.7), guess(0, 0.4, 0.5), guess(1, 0.9, 0.8)];

test("a larger budget takes the guess that the draft thinks likeliest along its path, of equals the earlier", () => {
  assert.deepEqual(orderByChance(tree), [0, 1, 3, 2]); // .5, .3, .27, .2
  assert.deepEqual(orderByChance([guess(-1, 0.5, 0), guess(0, 1, 0), guess(-1, 0.5, 0)]), [0, 1, 2]);
});

test("a guess counts as often as the target accepts the path to it, and one more token always comes", () => {
  assert.deepEqual(shapeOf(tree, 0), { tokens: 1, passes: 0 });
  assert.deepEqual(shapeOf(tree, 1), { tokens: 1.2, passes: 1 });
  const near = (n) => Number(shapeOf(tree, n).tokens.toFixed(12));
  assert.deepEqual([near(2), near(3), near(4)], [1.9, 2.46, 2.56]);
  assert.equal(shapeOf(tree, 3).passes, 2);
});

test("a cost too small to write is below what can be written, and weights are written in megabytes", () => {
  assert.deepEqual([costText(0.004), costText(0.01), costText(0.123), costText(null)], ["< 0.01", "= 0.01", "= 0.12", "–"]);
  const model = { name: "m", bytes: 50_000_000 };
  assert.deepEqual([megabytes(model), megabytes(model, 100), megabytes(model, 0)], ["50", "5,000", "0"]);
  mapped([1, 4], (passes) => megabytes({ ...model, bytes: 21_420_000 }, passes), ["21", "84"]);
});

const where = { target: "m", device: "cpu", parameters: 10_000_000, bytes: 20_000_000 };

test("what bounds a machine is worked out from its own passes; where sixteen tokens take sixteen passes, all is arithmetic", () => {
  assert.deepEqual(bound({ ...where, ms: { 1: 4, 16: 16 } }, 16), {
    n: 16,
    operations: "20",
    share: "25.0 %",
    read: "5.0",
    each: "4.0",
  });
  for (const most of [64, 66]) assert.equal(bound({ ...where, ms: { 1: 4, 16: most } }, 16).share, "100.0 %");
});

test("before a number was said nothing is compared, and a measured factor is answered by the nearest power of two", () => {
  assert.equal(compareEstimate(undefined, { ms: { 1: 4, 8: 10 } }, 8), null);
  for (const measurement of [null, { error: "device is gone" }]) assert.equal(compareEstimate(4, measurement, 8), null);
  mapped([0.8, 1.3, 1.5, 3, 7, 40], (factor) => nearest(factor, 4), [0, 0, 1, 2, 3, 3]);
});

test("an address asks for a chapter that there is, or for none", () => {
  mapped(["?chapter=1", "?K=3&chapter=9"], (search) => addressChapter(search, 9), [0, 8]);
  for (const other of ["", "?chapter=", "?chapter=0", "?chapter=10", "?chapter=1.5", "?chapter=x", "?chapter=5<b>"]) {
    assert.equal(addressChapter(other, 9), null, other);
  }
  assert.equal(addressChapter("?chapter=9", 8), null);
});
