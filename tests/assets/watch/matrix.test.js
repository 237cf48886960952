import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { shares } from "../../../assets/shared/positions.js";
import { matrixRows } from "../../../assets/watch/matrix.js";

const chances = { rejection: 0.7, match: 0.35, argmax: 0.4 };

test("of the rules at a position the one that ran is marked, and none where it has no chance there", () => {
  const marked = (/** @type {string} */ ran) => matrixRows(chances, ran).filter((row) => row.ran);
  assert.deepEqual(marked("match"), [{ rule: "match", chance: 0.35, ran: true }]);
  assert.deepEqual(marked("block"), []);
});

test("a position that no block reached has no share of those that did", () => {
  const at = { position: 3, drafted: 4, reached: 0, accepted: 0, given_reached: null, of_blocks: 0 };
  assert.equal(shares(at)[0], "–");
  assert.equal(shares({ ...at, reached: 2, accepted: 1, given_reached: 0.5, of_blocks: 0.25 })[1], "25.0 %");
});
