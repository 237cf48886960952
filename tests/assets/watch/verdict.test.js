import assert from "node:assert/strict";
import { test } from "node:test";
import { roomFor, whatIf } from "../../../assets/watch/verdict.js";
import { drafted } from "../picture.js";

const rejected = drafted({ ratio: 0.5, verdict: "rejected" });
const accepted = drafted({ ratio: 0.5, verdict: "accepted" });
const sure = drafted({ ratio: 2, verdict: "accepted" });

test("another u keeps the token below p/q and strictly below: u = p/q rejects it", () => {
  assert.deepEqual(
    [0, 0.499, 0.5, 0.9].map((u) => whatIf(u, rejected, 2).kept),
    [true, true, false, false],
  );
  assert.equal(whatIf(0, drafted({ ratio: 0 }), 2).kept, false);
  assert.equal(whatIf(0.999, drafted({ ratio: null, verdict: "accepted" }), 2).kept, true);
});

test("what another u would change has its own sentence, and so has what it would not", () => {
  assert.equal(whatIf(0.2, rejected, 2).key, "try_kept");
  assert.equal(whatIf(0.9, rejected, 2).key, "try_same_rejected");
  assert.equal(whatIf(0.2, accepted, 2).key, "try_same_kept");
  assert.equal(whatIf(0.9, accepted, 2).key, "try_rejected");
  assert.equal(whatIf(0.9, accepted, 0).key, "try_rejected_end");
  assert.equal(whatIf(0.9, sure, 2).key, "try_same_sure");
});

test("a word stands at its own end of its band, else at the other, else nowhere", () => {
  assert.equal(roomFor(0, 0.5, [0.8], "left"), "left");
  assert.equal(roomFor(0, 0.5, [0.05], "left"), "right");
  assert.equal(roomFor(0.5, 1, [0.95], "right"), "left");
  assert.equal(roomFor(0, 0.1, [], "left"), "none");
  assert.equal(roomFor(0, 0.4, [0.1, 0.3], "left"), "none");
});
