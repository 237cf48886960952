import assert from "node:assert/strict";
import { test } from "node:test";
import { limitOf } from "../../../assets/shared/limit.js";
import { roomFor } from "../../../assets/shared/uscale.js";
import { keptLater, whatIf } from "../../../assets/watch/uscale.js";
import { drafted, round } from "../picture.js";

const rejected = drafted({ ratio: 0.5, verdict: "rejected" });
const accepted = drafted({ ratio: 0.5, verdict: "accepted" });
const sure = drafted({ ratio: 2, verdict: "accepted" });

test("what another u would change has its own sentence, and so has what it would not", () => {
  assert.equal(whatIf(0.2, rejected, 2).key, "try_kept");
  assert.equal(whatIf(0.9, rejected, 2).key, "try_same_rejected");
  assert.equal(whatIf(0.2, accepted, 2).key, "try_same_kept");
  assert.equal(whatIf(0.9, accepted, 2).key, "try_rejected");
  assert.equal(whatIf(0.9, accepted, 1).key, "try_rejected_one");
  assert.equal(whatIf(0.9, accepted, 0).key, "try_rejected_end");
  assert.equal(whatIf(0.9, accepted, 2, 0.5, false, true).key, "try_rejected_back"); // block verification
  assert.equal(whatIf(0.9, sure, 2).key, "try_same_sure");
});

test("a word stands at its own end of its band, else at the other, else nowhere", () => {
  assert.equal(roomFor(0, 0.5, [0.8], "left"), "left");
  assert.equal(roomFor(0, 0.5, [0.05], "left"), "right");
  assert.equal(roomFor(0.5, 1, [0.95], "right"), "left");
  assert.equal(roomFor(0, 0.1, [], "left"), "none");
  assert.equal(roomFor(0, 0.4, [0.1, 0.3], "left"), "none");
});

test("u is held against p/q, p/q divided by θ of a threshold, or the chance of a block", () => {
  const token = drafted({ ratio: 0.25, chance: 0.75 });
  const limit = (/** @type {string} */ verifier) => limitOf(token, { verifier, theta: 0.5 });
  assert.deepEqual(["rejection", "threshold", "block"].map(limit), [0.25, 0.5, 0.75]);
});

test("in a block that is tested as one, a token that passed keeps all before it, whatever their u", () => {
  const [first, second] = [drafted({ chance: 0.1, u: 0.5, verdict: "accepted" }), drafted({ chance: 0.9, u: 0.5 })];
  const whole = round({ drafted: [first, second] });
  assert.equal(keptLater(first, whole, { verifier: "block", theta: 1 }), true);
  assert.equal(keptLater(second, whole, { verifier: "block", theta: 1 }), false);
  assert.equal(keptLater(first, whole, { verifier: "rejection", theta: 1 }), false);
  assert.deepEqual(whatIf(0.5, first, 1, 0.1, true), { kept: true, same: true, key: "try_same_later" });
});
