import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceOf, P, Q, TOKENS, texts } from "../../../assets/shared/language.js";

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

test("with replacements from p every text of chapter 8 is affected, by more than rounding, and all together still make one", () => {
  const all = texts(3, 2, true);
  near(
    all.reduce((sum, one) => sum + chanceOf(one), 0),
    1,
  );
  const gaps = all.map((one) => Math.abs(chanceOf(one) - one.alone));
  assert.ok(Math.min(...gaps) > 1e-4 && Math.max(...gaps) > 0.02);
});

test("at K = 2 a text of three has at most seven ways, one of them in one round with the bonus last", () => {
  const ways = texts(3, 2).flatMap(({ ways }) => ways);
  assert.equal(Math.max(...texts(3, 2).map(({ ways }) => ways.length)), 7);
  for (const { roles, rounds } of ways) assert.equal(rounds === 1, roles[0] === "accepted" && roles[1] === "accepted");
  for (const { roles } of ways)
    assert.equal(roles.includes("bonus"), roles[0] === "accepted" && roles[1] === "accepted");
});

test("at K = 1 a text of two has the three ways that the exercise asks for", () => {
  const ways = texts(2, 1).find(({ ways }) => ways.length === 3)?.ways ?? [];
  assert.deepEqual(ways.map(({ roles }) => roles.join()).sort(), [
    "accepted,bonus",
    "corrected,accepted",
    "corrected,corrected",
  ]);
});
