// Who sees whom, and where keys lead.

import assert from "node:assert/strict";
import { test } from "node:test";
import { laidOut } from "../../../assets/round/layout.js";
import { seenFrom } from "../../../assets/round/mask.js";
import { leadsTo } from "../../../assets/round/outline.js";
import { twoRounds } from "../picture.js";
import { tree } from "./rounds.js";

test("of a chain each position sees all before it, of a tree only those that lead to it", () => {
  const [chain] = twoRounds().rounds;
  assert.deepEqual(
    [0, 1, 2].map((at) => seenFrom(chain, at)),
    [[0], [0, 1], [0, 1, 2]],
  );
  assert.deepEqual(
    [3, 4, 6].map((at) => seenFrom(tree(), at)),
    [
      [0, 3],
      [0, 1, 4],
      [0, 2, 6],
    ],
  );
});

test("arrows lead to the parent, to the first child, up and down; at an end nowhere", () => {
  const { order, spots } = laidOut(tree());
  const items = order.map((at) => ({ at, depth: spots[at].x }));
  const to = (/** @type {string} */ key, /** @type {number} */ at) => leadsTo(key, at, items);
  assert.deepEqual(
    ["ArrowRight", "ArrowLeft", "ArrowDown", "ArrowUp"].map((key) => to(key, 2)),
    [5, 0, 5, 4],
  );
  assert.deepEqual(
    [to("ArrowRight", 6), to("ArrowLeft", 0), to("ArrowUp", 0), to("ArrowDown", 3)],
    [null, null, null, null],
  );
  assert.deepEqual([to("Home", 5), to("End", 5), to("x", 5)], [0, 3, null]);
});
