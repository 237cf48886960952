import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { beatsOf, PHASES, phaseEnd, phaseStops, standing } from "../../../assets/watch/phases.js";
import { lane, round, twoRounds } from "../picture.js";

test("a phase ends when it is seen whole, and a round without a draft has two of the four", () => {
  const [drafting, plain] = twoRounds().rounds;
  assert.deepEqual(
    PHASES.map((phase) => phaseEnd(drafting, phase)),
    [6, 30, 32, 35],
  );
  assert.deepEqual(
    PHASES.map((phase) => phaseEnd(plain, phase)),
    [null, 55, null, 60],
  );
  assert.deepEqual(phaseStops(twoRounds()), [6, 30, 32, 35, 55, 60]);
});

test("step by step every ghost, verdict and token has its moment, and the other lane goes on after the end", () => {
  assert.deepEqual(beatsOf(twoRounds(), null), [3, 6, 10, 31, 32, 33, 58, 60]);
  const other = lane({ duration: 90, rounds: [round({ decided_at: 20 }), round({ decided_at: 70 })] });
  assert.deepEqual(beatsOf(twoRounds(), other).slice(-3), [58, 70, 90]);
});

test("where a replay stands goes from draft to emit, and the end of a round is its own", () => {
  const at = (/** @type {number} */ t) => {
    const { round, phase, drafted, over } = standing(twoRounds(), t);
    return [round.index, phase, drafted, over];
  };
  assert.deepEqual(at(0), [0, "draft", 0, false]);
  assert.deepEqual(at(6), [0, "draft", 2, false]);
  assert.deepEqual(at(10), [0, "verify", 2, false]);
  assert.deepEqual(at(31), [0, "decide", 2, false]);
  assert.deepEqual(at(33), [0, "emit", 2, false]);
  assert.deepEqual(at(35), [0, "emit", 2, false]);
  assert.deepEqual(at(36), [1, "verify", 0, false]);
  assert.deepEqual(at(60), [1, "emit", 0, false]);
  assert.deepEqual(at(70), [1, "emit", 0, true]);
});
