import assert from "node:assert/strict";
import { test } from "node:test";
import { scoreOf } from "../../../assets/watch/score.js";
import { longest, markedRound, steppedLane, worthAsking } from "../../../assets/watch/state.js";
import { lane, round, twoRounds } from "../picture.js";

/** @param {object} lanes @returns {any} */
const picture = (lanes) => ({ lanes: { vanilla: null, speculative: null, ...lanes } });

test("a drafted token is drafted, then verified with its block, then gets its role, in the order of the clock", () => {
  const { changes, tokensAt, passesAt } = scoreOf(twoRounds());
  assert.deepEqual(
    changes.map(({ at, token, from, to }) => [at, token, from, to]),
    [
      [3, 1, "", "drafted"],
      [6, 2, "", "drafted"],
      [10, 1, "drafted", "verified"],
      [10, 2, "drafted", "verified"],
      [31, 1, "verified", "accepted"],
      [32, 2, "verified", "rejected"],
      [33, 3, "", "corrected"],
      [58, 4, "", "plain"],
    ],
  );
  assert.deepEqual(tokensAt, [31, 33, 58]);
  assert.deepEqual(passesAt, [
    [30, 1],
    [55, 2],
  ]);
});

test("read to the end and back again, a score leaves every token as it found it", () => {
  const { changes } = scoreOf(twoRounds());
  /** @type {Record<number, string>} */
  const look = {};
  for (const { token, from, to } of changes) {
    assert.equal(look[token] || "", from);
    look[token] = to;
  }
  for (const { token, from, to } of changes.toReversed()) {
    assert.equal(look[token], to);
    look[token] = from;
  }
  assert.deepEqual(new Set(Object.values(look)), new Set([""]));
});

test("the token to look at first is the first rejection, else one that stayed, else any of a round, else none", () => {
  const asked = (/** @type {object} */ lanes) => worthAsking(picture(lanes));
  assert.deepEqual(asked({ speculative: twoRounds() }), { lane: "speculative", round: 0, drafted: 1, emitted: null });
  const plain = lane({ name: "vanilla", rounds: twoRounds().rounds.slice(1) });
  assert.deepEqual(asked({ vanilla: plain }), { lane: "vanilla", round: 0, drafted: null, emitted: 0 });
  assert.equal(asked({ speculative: lane({ rounds: [round({})] }) }), null);
  assert.equal(asked({}), null);
});

test("the speculative lane is stepped through if it has a round, and the slower one says how long it takes", () => {
  const vanilla = lane({ name: "vanilla", duration: 90, rounds: [round({})] });
  assert.equal(steppedLane(picture({ speculative: twoRounds(), vanilla }))?.name, "speculative");
  assert.equal(steppedLane(picture({ speculative: lane({}), vanilla }))?.name, "vanilla");
  assert.equal(steppedLane(picture({})), null);
  assert.equal(longest(picture({ speculative: twoRounds(), vanilla })), 90);
});

test("the round that is pointed at is marked, else that of the chosen token; a token of the prompt has none", () => {
  const shown = picture({ speculative: twoRounds() });
  const state = (/** @type {any} */ picked) => /** @type {any} */ ({ picture: shown, picked });
  const chosen = { lane: "speculative", round: 1, drafted: null, emitted: 0 };
  assert.equal(markedRound(state(chosen))?.round.index, 1);
  assert.equal(markedRound(state(chosen))?.pointed, false);
  const pointed = markedRound(state(chosen), "speculative", 0);
  assert.deepEqual([pointed?.round.index, pointed?.pointed], [0, true]);
  assert.equal(markedRound(state({ lane: "speculative", prompt: 0, drafted: null, emitted: null })), null);
  assert.equal(markedRound(state(null), "speculative", 7), null);
});
