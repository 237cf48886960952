import assert from "node:assert/strict";
import { test } from "node:test";
import { firstSelection, longestDuration, steppedLane } from "../../../assets/watch/state.js";
import { lane, round, twoRounds } from "../picture.js";

const picture = (lanes) => ({ lanes: { vanilla: null, speculative: null, ...lanes } });

test("the token to look at first is the first rejection, else one that stayed, else any of a round, else none", () => {
  const selected = (lanes) => firstSelection(picture(lanes));
  assert.deepEqual(selected({ speculative: twoRounds() }), {
    lane: "speculative",
    round: 0,
    drafted: 1,
    emitted: null,
  });
  const plain = lane({ name: "vanilla", rounds: twoRounds().rounds.slice(1) });
  assert.deepEqual(selected({ vanilla: plain }), { lane: "vanilla", round: 0, drafted: null, emitted: 0 });
  assert.equal(selected({ speculative: lane({ rounds: [round({})] }) }), null);
  assert.equal(selected({}), null);
});

test("the speculative lane is stepped through if it has a round, and the slower one says how long it takes", () => {
  const vanilla = lane({ name: "vanilla", duration: 90, rounds: [round({})] });
  assert.equal(steppedLane(picture({ speculative: twoRounds(), vanilla }))?.name, "speculative");
  assert.equal(steppedLane(picture({ speculative: lane({}), vanilla }))?.name, "vanilla");
  assert.equal(steppedLane(picture({})), null);
  assert.equal(longestDuration(picture({ speculative: twoRounds(), vanilla })), 90);
});
