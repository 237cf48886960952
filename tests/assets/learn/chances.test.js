import assert from "node:assert/strict";
import { test } from "node:test";
import { bestRules, chancesOf, largestIndex, shiftMass } from "../../../assets/learn/engines/chances.js";

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

test("rules that keep alike are all the most", () => {
  assert.deepEqual(bestRules(chancesOf([1, 0, 0], [1, 0, 0])), ["rejection", "match", "argmax"]);
});

test("three chances stay three chances wherever one is moved", () => {
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.5), [0.5, 0.35, 0.15]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.9), [0.9, 0.1, 0]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 1, 1), [0, 1, 0]);
});

test("of equal ones the first is the largest", () => {
  assert.equal(largestIndex([0.4, 0.4, 0.2]), 0);
});
