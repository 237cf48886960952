import assert from "node:assert/strict";
import { test } from "node:test";
import { chancesOf, outcomeOf, wholeKept } from "../../../assets/play/rounds.js";

/** @typedef {import("../../../assets/lab/classroom/types.js").Guessed} Guessed */
/** @typedef {import("../../../assets/lab/classroom/types.js").Played} Played */

const token = (/** @type {string} */ text) => ({ id: text.length, text, partial: false });
/** @param {string} text @param {Guessed["verdict"]} verdict @param {Record<string, number> | null} found @returns {Guessed} */
const guessed = (text, verdict, found = null) => {
  const entries = Object.entries(found ?? {}).map(([text, p]) => ({ token: token(text), p, q: 0 }));
  return {
    token: token(text),
    p: 0,
    q: 1,
    u: null,
    verdict,
    place: found && { entries, rest: { p: 0, q: 0 }, beta: 0 },
  };
};
const people = (/** @type {number} */ accepted, drafted = 2) => ({ drafted, tested: drafted, accepted, beta: 0 });
const emitted = (/** @type {Played["emitted"][number]["role"][]} */ ...roles) =>
  roles.map((role) => ({ token: token("x"), role, chance: null }));

test("a guess is kept if all its tokens are, and what is struck gives the word to the target", () => {
  assert.equal(outcomeOf({ people: people(2), emitted: emitted("accepted", "accepted", "bonus") }), "kept");
  assert.equal(outcomeOf({ people: people(2), emitted: emitted("accepted", "accepted") }), "kept_last");
  assert.equal(outcomeOf({ people: people(1), emitted: emitted("accepted", "corrected") }), "part");
  assert.equal(outcomeOf({ people: people(0), emitted: emitted("corrected") }), "struck");
});

test("who drafted nothing has no point", () => {
  assert.equal(wholeKept(undefined), false);
  assert.equal(wholeKept(people(0, 0)), false);
  assert.equal(wholeKept(people(1, 1)), true);
});

test("the likeliest words stand first and the guess among them, however unlikely it was", () => {
  const found = { a: 0.5, bb: 0.2, ccc: 0.1, dddd: 0.05, eeeee: 0.01 };
  const greedy = { drafted: [guessed("eeeee", "rejected")] };
  const all = chancesOf(greedy, { drafted: [guessed("eeeee", "accepted", found)] });
  assert.deepEqual(
    all.map(({ token, own }) => [token.text, own]),
    [
      ["a", false],
      ["bb", false],
      ["ccc", false],
      ["eeeee", true],
    ],
  );
});

test("what was likely is told of the first token that was struck, and of none that was not looked at", () => {
  const greedy = { drafted: [guessed("a", "accepted"), guessed("bb", "rejected")] };
  const [first, second] = [guessed("a", "accepted", { a: 1 }), guessed("bb", "accepted", { ccc: 0.9, bb: 0.1 })];
  assert.deepEqual(
    chancesOf(greedy, { drafted: [first, second] }).map(({ token }) => token.text),
    ["ccc", "bb"],
  );
  assert.deepEqual(chancesOf(greedy, { drafted: [first, guessed("bb", "unexamined")] }), []);
});
