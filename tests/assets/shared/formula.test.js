import assert from "node:assert/strict";
import { test } from "node:test";
import { bestOf, checkCost, fractionalIndex, LENGTHS, level, speedupOf } from "../../../assets/shared/formula.js";

test("a check costs one pass at one token and lies on a line through what was measured", () => {
  assert.deepEqual(
    [0, 2, 4, 8].map((K) => checkCost({ c: 0, v: 1.5, at: 4 }, K)),
    [1, 1.25, 1.5, 2],
  );
  assert.equal(checkCost({ c: 0, v: 1.5, at: 0 }, 1), 1.5); // a run that drafted nothing
});

test("the best K is longer the cheaper the draft, and one where drafting does not pay", () => {
  const best = [0.01, 0.1, 0.4, 0.9].map((c) => bestOf(0.8, { c, v: 1, at: 4 }));
  assert.deepEqual(
    best,
    best.toSorted((a, b) => b - a),
  );
  assert.equal(bestOf(0.8, { c: 0.02, v: 1, at: 4 }), 11); // as the notes of the chapter say
  assert.equal(bestOf(1, { c: 0.1, v: 1, at: 4 }), 16); // beyond the map: nothing is lost by another guess
  assert.equal(bestOf(0.1, { c: 0.9, v: 1, at: 4 }), 1);
  for (const K of LENGTHS) {
    assert.ok(speedupOf(0.8, K, { c: 0.1, v: 1, at: 4 }) <= speedupOf(0.8, best[1], { c: 0.1, v: 1, at: 4 }));
  }
});

test("a shade is half a factor, and slower is what would not be written as 1.00", () => {
  assert.equal(level(0.99), "slower");
  assert.deepEqual([0.996, 1, 1.49, 1.5, 2, 3.9, 4, 9].map(level), [..."00012566"]);
});

test("a value lies between the entries of a list, and at its ends where it is beyond them", () => {
  const list = [1, 2, 4, 8];
  assert.deepEqual(
    [0, 1, 1.5, 3, 5, 8, 20].map((value) => fractionalIndex(list, value)),
    [0, 0, 0.5, 1.5, 2.25, 3, 3],
  );
});
