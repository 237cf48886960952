import assert from "node:assert/strict";
import { test } from "node:test";
import { mean, tally, tokensKept } from "../../../assets/learn/tally.js";

/** @import { Role } from "../../../assets/shared/types.js" */

const round = (/** @type {Role[]} */ ...roles) => roles.map((role) => ({ text: "x", role }));

test("a round gave what stayed, its correction or bonus too", () => {
  assert.equal(tokensKept(round("accepted", "rejected", "corrected", "unexamined")), 2);
  assert.equal(tokensKept(round("accepted", "accepted", "bonus")), 3);
});

test("rounds are counted by what they gave, from 1 to K + 1", () => {
  assert.deepEqual(tally([1, 3, 3, 4], 3), [1, 0, 2, 1]);
  assert.equal(mean([1, 3, 3, 4]), 2.75);
});
