// A round at a moment of the clock, forwards and back.

import assert from "node:assert/strict";
import { test } from "node:test";
import { momentAt, phaseAt } from "../../../assets/round/moment.js";
import { twoRounds } from "../picture.js";
import { tree } from "./rounds.js";

const looks = (/** @type {number} */ t) => momentAt(tree(), t).looks;

test("a tree grows level by level", () => {
  assert.deepEqual(looks(0), ["", "", "", "", "", ""]);
  assert.deepEqual(looks(1), ["drafted", "drafted", "drafted", "", "", ""]);
  assert.deepEqual(looks(2), Array(6).fill("drafted"));
});

test("the pass lights all of it at once, and nothing tells a verdict before it falls", () => {
  for (const t of [10, 15, 20, 23.9]) assert.deepEqual(looks(t), Array(6).fill("lit"));
});

test("verdicts fall in the order of the walk: siblings by rank, then the children of the one that stayed", () => {
  assert.deepEqual(looks(24), ["rejected", "lit", "lit", "lit", "lit", "lit"]);
  assert.deepEqual(looks(28), ["rejected", "accepted", "lit", "lit", "lit", "lit"]);
  assert.deepEqual(looks(32), ["rejected", "accepted", "lit", "lit", "rejected", "lit"]);
  assert.deepEqual(looks(36), ["rejected", "accepted", "unexamined", "unexamined", "rejected", "rejected"]);
});

test("u falls from one verdict to the next, on one token at a time", () => {
  const falls = (/** @type {number} */ t) => momentAt(tree(), t).falls;
  assert.deepEqual(falls(20), [0, 0, null, null, 0, 0]);
  assert.deepEqual(falls(22), [0.5, 0, null, null, 0, 0]);
  assert.deepEqual(falls(30), [1, 1, null, null, 0.5, 0]);
  assert.deepEqual(falls(50), [1, 1, null, null, 1, 1]);
});

test("p is known after the pass, and what comes out when all is decided", () => {
  assert.deepEqual(
    [19, 20].map((t) => momentAt(tree(), t).checked),
    [false, true],
  );
  assert.deepEqual(
    [39, 40].map((t) => momentAt(tree(), t).extra),
    ["", "corrected"],
  );
});

test("a round is at the same moment whichever way the clock came to it", () => {
  const times = [0, 1, 12, 24, 30, 36, 44];
  const forwards = times.map((t) => momentAt(tree(), t));
  const back = times.toReversed().map((t) => momentAt(tree(), t));
  assert.deepEqual(back.toReversed(), forwards);
});

test("phases follow each other; without a draft there is the pass and what it gives", () => {
  const [chain, plain] = twoRounds().rounds;
  assert.deepEqual(
    [0, 10, 30, 30.5, 32, 33, 35].map((t) => phaseAt(chain, t)),
    ["draft", "verify", "verify", "decide", "decide", "emit", "emit"],
  );
  assert.deepEqual(
    [40, 57, 58].map((t) => phaseAt(plain, t)),
    ["verify", "verify", "emit"],
  );
});

test("of a chain a token's moments are those of its span in the text", () => {
  const [chain] = twoRounds().rounds;
  assert.deepEqual(momentAt(chain, 5).looks, ["drafted", ""]);
  assert.deepEqual(momentAt(chain, 31.5).looks, ["accepted", "lit"]);
  assert.deepEqual(momentAt(chain, 31.5).falls, [1, 0.5]);
});
