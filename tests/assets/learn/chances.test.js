import assert from "node:assert/strict";
import { test } from "node:test";
import { chancesOf, largest, most, shiftMass } from "../../../assets/learn/engines/chances.js";

/** @param {number} value @param {number} wanted */
const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1e-12, `${value} is not ${wanted}`);

test("on the two examples of docs/rules.md each rule keeps what stands there", () => {
  const draft = chancesOf([0.4, 0.3, 0.2, 0.1], [0.7, 0.15, 0.1, 0.05]);
  const target = chancesOf([0.9, 0.05, 0.05], [0.4, 0.3, 0.3]);
  for (const [found, wanted] of /** @type {const} */ ([
    [draft, [0.7, 0.35, 0.4]],
    [target, [0.5, 0.39, 0.9]],
  ])) {
    near(found.rejection, wanted[0]);
    near(found.match, wanted[1]);
    near(found.argmax, wanted[2]);
  }
  assert.deepEqual([most(draft), most(target)], [["rejection"], ["argmax"]]);
});

test("at temperature 0 a draft stays where both prefer one token, whatever stays at 1", () => {
  assert.equal(chancesOf([0.4, 0.35, 0.25], [0.7, 0.2, 0.1]).equal, true);
  assert.equal(chancesOf([0.3, 0.5, 0.2], [0.5, 0.4, 0.1]).equal, false);
});

test("match never keeps more than rejection, and where p is q rejection keeps all", () => {
  for (let n = 0; n <= 100; n += 5) {
    const p = shiftMass([0.5, 0.3, 0.2], 0, n / 100);
    const found = chancesOf(p, [0.2, 0.5, 0.3]);
    assert.ok(found.match <= found.rejection + 1e-12);
    near(chancesOf(p, p).rejection, 1);
  }
});

test("rules that keep alike are all the most", () => {
  assert.deepEqual(most(chancesOf([1, 0, 0], [1, 0, 0])), ["rejection", "match", "argmax"]);
});

test("three chances stay three chances wherever one is moved", () => {
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.5), [0.5, 0.35, 0.15]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 0, 0.9), [0.9, 0.1, 0]);
  assert.deepEqual(shiftMass([0.4, 0.35, 0.25], 1, 1), [0, 1, 0]);
});

test("of equal ones the first is the largest", () => {
  assert.equal(largest([0.4, 0.4, 0.2]), 0);
});
