import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { scorePrediction } from "../../../assets/watch/predict.js";
import { drafted, round } from "../picture.js";

/** @typedef {import("../../../assets/watch/types.js").Guess} Guess */

const rounds = [
  round({
    drafted: [
      drafted({ verdict: "accepted", ratio: 1.5, p: 0.4 }),
      drafted({ verdict: "accepted", ratio: 0.3, p: 0.1 }),
      drafted({ verdict: "rejected", ratio: 0.6, p: 0.2 }),
    ],
  }),
];
/** @param {(Guess | null)[]} given */
const guesses = (given) => new Map(given.map((guess, i) => [`0/${i}`, guess]));
const scoreOf = (/** @type {any[]} */ given) => scorePrediction(guesses(given), rounds, rejection);
const rejection = { greedy: false, verifier: "rejection" };

test("a prediction is right where the verdict is the one that was said; what was seen first counts for nothing", () => {
  const [all, some] = [
    ["accept", "accept", "accept"],
    ["reject", null, "reject"],
  ].map((each) => scoreOf(each));
  assert.deepEqual([all.right, all.of, all.likelier, all.kept], [2, 3, 1, 2]);
  assert.deepEqual([some.right, some.of, some.likelier, some.kept], [1, 2, 1, 1]);
});

test("a wrong answer ends the streak, and the longest one is kept", () => {
  const [wrong, right] = [scoreOf(["accept", "accept", "accept"]), scoreOf(["reject", "accept", "reject"])];
  assert.deepEqual([wrong.streak, wrong.longest], [0, 2]);
  assert.deepEqual([right.streak, right.longest], [2, 2]);
});

test("under match a token is likelier kept than not where p itself is a half", () => {
  const match = { greedy: false, verifier: "match" };
  assert.equal(scorePrediction(guesses(["accept", "accept", "accept"]), rounds, match).likelier, 1);
});

test("a round that was not come to is not counted", () => {
  assert.equal(scorePrediction(new Map([["4/0", "accept"]]), rounds, rejection).of, 0);
});
