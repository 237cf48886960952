import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { scored } from "../../../assets/watch/predict.js";
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
const rejection = { greedy: false, verifier: "rejection" };

test("a prediction is right where the verdict is the one that was said; what was seen first counts for nothing", () => {
  assert.deepEqual(scored(guesses(["accept", "accept", "accept"]), rounds, rejection), {
    right: 2,
    of: 3,
    likelier: 1,
  });
  assert.deepEqual(scored(guesses(["reject", null, "reject"]), rounds, rejection), { right: 1, of: 2, likelier: 1 });
});

test("under match a token is likelier kept than not where p itself is a half", () => {
  const match = { greedy: false, verifier: "match" };
  assert.equal(scored(guesses(["accept", "accept", "accept"]), rounds, match).likelier, 1);
});

test("a round that was not come to is not counted", () => {
  assert.deepEqual(scored(new Map([["4/0", "accept"]]), rounds, rejection), { right: 0, of: 0, likelier: 0 });
});
