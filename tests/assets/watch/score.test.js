import assert from "node:assert/strict";
import { test } from "node:test";
import { longest, steppedLane, worthAsking } from "../../../assets/watch/state.js";
import { lane, round, twoRounds } from "../picture.js";

/** @param {object} lanes @returns {any} */
const picture = (lanes) => ({ lanes: { vanilla: null, speculative: null, ...lanes } });

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
