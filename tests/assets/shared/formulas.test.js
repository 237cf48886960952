import assert from "node:assert/strict";
import { test } from "node:test";
import {
  bestLength,
  chanceOf,
  checkCost,
  fractionalIndex,
  LENGTHS,
  level,
  P,
  Q,
  speedupOf,
  TOKENS,
  texts,
} from "../../../assets/shared/formulas.js";
import { mapped } from "../mapped.js";

test("a check costs one pass at one token and lies on a line through what was measured", () => {
  mapped([0, 2, 4, 8], (K) => checkCost({ c: 0, v: 1.5, at: 4 }, K), [1, 1.25, 1.5, 2]);
  assert.equal(checkCost({ c: 0, v: 1.5, at: 0 }, 1), 1.5); // a run that drafted nothing
});

test("the best K is longer the cheaper the draft, and one where drafting does not pay", () => {
  const best = [0.01, 0.1, 0.4, 0.9].map((c) => bestLength(0.8, { c, v: 1, at: 4 }));
  assert.deepEqual(
    best,
    best.toSorted((a, b) => b - a),
  );
  assert.equal(bestLength(0.8, { c: 0.02, v: 1, at: 4 }), 11); // as the notes of the chapter say
  assert.equal(bestLength(1, { c: 0.1, v: 1, at: 4 }), 16); // beyond the map: nothing is lost by another guess
  assert.equal(bestLength(0.1, { c: 0.9, v: 1, at: 4 }), 1);
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
  mapped([0, 1, 1.5, 3, 5, 8, 20], (value) => fractionalIndex(list, value), [0, 0, 0.5, 1.5, 2.25, 3, 3]);
});

const near = (found, wanted) => assert.ok(Math.abs(found - wanted) < 1e-12);

test("p and q of the made-up language are distributions", () => {
  for (const laws of [P, Q]) {
    for (const law of Object.values(laws))
      near(
        TOKENS.reduce((sum, x) => sum + law[x], 0),
        1,
      );
  }
});

test("every text of three tokens is there once, and comes out as the target alone would have it, at any K", () => {
  for (const K of [0, 1, 2, 3, 5]) {
    const all = texts(3, K);
    assert.equal(new Set(all.map(({ text }) => text)).size, 27);
    for (const one of all) {
      const [x, y, z] = one.text;
      near(one.alone, P[""][x] * P[x][y] * P[y][z]);
      near(chanceOf(one), one.alone);
    }
  }
});

test("with replacements from p every text of chapter 8 is affected, by more than rounding, and all still add up to one", () => {
  const all = texts(3, 2, true);
  near(
    all.reduce((sum, one) => sum + chanceOf(one), 0),
    1,
  );
  const gaps = all.map((one) => Math.abs(chanceOf(one) - one.alone));
  assert.ok(Math.min(...gaps) > 1e-4 && Math.max(...gaps) > 0.02);
});

test("a text of two has the three ways at K = 1 that the exercise asks for, one of three has seven at K = 2", () => {
  const ways = texts(3, 2).flatMap(({ ways }) => ways);
  assert.equal(Math.max(...texts(3, 2).map(({ ways }) => ways.length)), 7);
  for (const { roles, rounds } of ways) assert.equal(rounds === 1, roles[0] === "accepted" && roles[1] === "accepted");
  for (const { roles } of ways) assert.equal(roles.includes("bonus"), roles[0] === "accepted" && roles[1] === "accepted");
  const three = texts(2, 1).find(({ ways }) => ways.length === 3)?.ways ?? [];
  assert.deepEqual(three.map(({ roles }) => roles.join()).sort(), [
    "accepted,bonus",
    "corrected,accepted",
    "corrected,corrected",
  ]);
});
