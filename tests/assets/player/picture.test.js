import assert from "node:assert/strict";
import { test } from "node:test";
import { chainOf } from "../../../assets/player/account.js";
import { bytesOf } from "../../../assets/player/numbers.js";
import { firstSelection, longestDuration, steppedLane } from "../../../assets/player/selection.js";
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

const prompt = (...kinds) => ({
  lanes: {
    vanilla: null,
    speculative: lane({ prompt: kinds.map((kind) => ({ id: 0, text: "x", partial: false, shown: "x", kind })) }),
  },
});

test("a prompt of which more than a third are parts of letters is not read, whatever special tokens stand before it", () => {
  assert.deepEqual(bytesOf(prompt("special", "bytes", "bytes", "text")), { bytes: 2, of: 3 });
  assert.equal(bytesOf(prompt("special", "text", "text", "bytes")), null);
  assert.equal(bytesOf({ lanes: { vanilla: null, speculative: null } }), null);
});

// Chain or tree with the same number of guesses; which tree is best: tests/picture/test_view.py.

const SHARE = [
  [0.6, 0.3],
  [0.5, 0.2],
];

test("a chain adds the chance of each of its guesses to the token that is sure", () => {
  for (const [n, tokens, passes] of [
    [1, 1.6, 1],
    [2, 1.9, 2],
    [9, 1.9, 2], // deeper nothing was measured
  ]) {
    const chain = chainOf(SHARE, n);
    assert.ok(Math.abs(chain.tokens - tokens) < 1e-12);
    assert.equal(chain.passes, passes);
  }
});
