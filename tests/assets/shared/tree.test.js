// Where the tokens of a tree stand, and which of them was replaced.

import assert from "node:assert/strict";
import { test } from "node:test";
import { branches, laidOut, lastRejected } from "../../../assets/shared/tree.js";

const node = (parent, depth, rank, verdict = "unexamined") => ({ parent, depth, rank, verdict });
const TREE = [
  node(-1, 1, 1, "accepted"),
  node(0, 2, 0, "rejected"),
  node(0, 2, 1, "rejected"),
  node(-1, 1, 0, "rejected"),
  node(3, 2, 0),
  node(3, 2, 1),
];

test("a leaf has a row of its own, in the order of the ranks, and a parent stands in the middle of its children", () => {
  const { spots, rows, depth } = laidOut(TREE);
  assert.equal(rows, 4);
  assert.equal(depth, 2);
  assert.deepEqual(
    spots.map(({ y }) => y),
    [2.5, 2, 3, 0.5, 0, 1],
  );
  assert.deepEqual(
    spots.map(({ x }) => x),
    [1, 2, 2, 1, 2, 2],
  );
});

test("sixty-four tokens have places of their own", () => {
  const many = Array.from({ length: 64 }, (_, i) => node(i < 4 ? -1 : Math.floor(i / 4) - 1, 0, i % 4));
  for (const one of many) one.depth = one.parent < 0 ? 1 : many[one.parent].depth + 1;
  const { spots } = laidOut(many);
  assert.equal(new Set(spots.map(({ x, y }) => `${x} ${y}`)).size, 64);
});

test("of a tree the last sibling that was rejected where the path ends is replaced, of a chain its one rejected token", () => {
  assert.equal(lastRejected({ drafted: TREE }), TREE[2]);
  const chain = [{ verdict: "accepted" }, { verdict: "rejected" }, { verdict: "unexamined" }];
  assert.equal(lastRejected({ drafted: chain }), chain[1]);
  assert.equal(lastRejected({ drafted: [TREE[0]] }), null);
  assert.ok(branches({ drafted: TREE }) && !branches({ drafted: chain }));
});
