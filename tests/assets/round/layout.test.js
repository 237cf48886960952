// Where the tokens of a round stand.

import assert from "node:assert/strict";
import { test } from "node:test";
import { layoutOf } from "../../../assets/round/layout.js";
import { drafted, round, twoRounds } from "../picture.js";
import { sixtyFour, tree } from "./rounds.js";

const at = ({ x, y }) => [x, y];

test("a chain is one row, and what replaces its rejected token stands below it", () => {
  const [chain] = twoRounds().rounds;
  chain.emitted = [{ role: "accepted" }, { role: "corrected" }];
  const { spots, rows, columns, order, extra } = layoutOf(chain);
  assert.deepEqual(spots.map(at), [
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  assert.deepEqual([rows, columns, order, extra && at(extra)], [2, 4, [0, 1, 2], [2, 1]]);
});

test("a bonus token goes on where the path ends", () => {
  const accepted = [drafted({ verdict: "accepted" }), drafted({ verdict: "accepted" })];
  const { extra } = layoutOf(round({ drafted: accepted, emitted: [{ role: "bonus" }] }));
  assert.deepEqual(extra && at(extra), [3, 0]);
});

test("a round that drafted nothing is the text and what comes out", () => {
  const { spots, extra } = layoutOf(round({ emitted: [{ role: "plain" }] }));
  assert.deepEqual([spots.map(at), extra && at(extra)], [[[0, 0]], [1, 0]]);
});

test("a column is a depth, siblings stand below each other by rank, and an outline reads a token before its children", () => {
  const { spots, order } = layoutOf(tree());
  assert.deepEqual(
    spots.map(({ x }) => x),
    [0, 1, 1, 1, 2, 2, 2],
  );
  assert.ok(spots[1].y < spots[2].y && spots[2].y < spots[3].y && spots[5].y < spots[6].y);
  assert.deepEqual(order, [0, 1, 4, 2, 5, 6, 3]);
});

test("no two of sixty-four tokens come nearer than a row, nor does what comes out, wherever the path ends", () => {
  const big = sixtyFour();
  assert.equal(big.drafted.length, 64);
  big.emitted = [{ role: "corrected" }];
  for (const end of [-1, 0, 7, 40, 63]) {
    for (let i = end; i >= 0; i = big.drafted[i].parent ?? -1) big.drafted[i].verdict = "accepted";
    const { spots, rows, columns, extra } = layoutOf(big);
    const all = [...spots, extra];
    for (const [i, one] of all.entries()) {
      assert.ok(one.x < columns && one.y >= 0 && one.y <= rows - 1);
      for (const other of all.slice(0, i)) assert.ok(one.x !== other.x || Math.abs(one.y - other.y) >= 1 - 1e-9);
    }
    for (const one of big.drafted) one.verdict = "unexamined";
  }
});

test("where they would take more rows than can be read, tokens without children stand two abreast", () => {
  const parents = [...Array(8).fill(-1), ...Array.from({ length: 56 }, (_, i) => Math.floor(i / 7))];
  const children = parents.map((parent) => drafted({ parent, depth: parent < 0 ? 1 : 2 }));
  const wide = round({ drafted: children, emitted: [{ role: "corrected" }] });
  const { spots, rows, columns, order, extra } = layoutOf(wide);
  assert.deepEqual([rows, columns], [8 * 4 + 1, 4]);
  assert.deepEqual(order.slice(0, 9), [0, 1, 9, 10, 11, 12, 13, 14, 15]);
  assert.deepEqual(
    spots.slice(9, 11).map(({ depth }) => depth),
    [2, 2],
  );
  const all = [...spots, extra];
  for (const [i, one] of all.entries())
    for (const other of all.slice(0, i)) {
      const beside = one.x >= other.x + other.wide || other.x >= one.x + one.wide;
      assert.ok(beside || Math.abs(one.y - other.y) >= 1 - 1e-9);
    }
});

test("what becomes of a draft moves none of it", () => {
  const before = layoutOf(sixtyFour()).spots;
  const decided = sixtyFour();
  decided.drafted[3].verdict = "accepted";
  decided.emitted = [{ role: "bonus" }];
  assert.deepEqual(layoutOf(decided).spots, before);
});
