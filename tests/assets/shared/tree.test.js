// A block as a picture holds it: who follows whom, the order of the tests, what was replaced, and when.

import assert from "node:assert/strict";
import { test } from "node:test";
import { lastRejected, madeAtOnce } from "../../../assets/shared/tree.js";
import { branches, children, examinedNodes, parents, path } from "../../../assets/trace/tree.js";
import { drafted, round, span } from "../picture.js";
import { tree } from "../round/rounds.js";

const chain = round({ drafted: [drafted({ verdict: "accepted" }), drafted({}), drafted({ verdict: "unexamined" })] });

test("a chain is the tree in which each token has one child", () => {
  assert.ok(branches(tree()) && !branches(chain));
  assert.deepEqual(parents(chain.drafted), [-1, 0, 1]);
  assert.deepEqual(children(chain.drafted), [[0], [1], [2], []]);
  assert.deepEqual(children(tree().drafted), [[0, 1, 2], [3], [4, 5], [], [], [], []]);
});

test("the walk tests siblings by rank, then the children of the one that stayed", () => {
  assert.deepEqual(examinedNodes(chain.drafted), [0, 1]);
  assert.deepEqual(examinedNodes(tree().drafted), [0, 1, 4, 5]);
  assert.deepEqual(examinedNodes(round({}).drafted), []);
});

test("of a tree the last sibling that was rejected where the path ends is replaced, of a chain its one rejected token", () => {
  const one = tree();
  assert.deepEqual(path(one.drafted), [1]);
  assert.equal(lastRejected(one), one.drafted[5]);
  assert.equal(lastRejected(chain), chain.drafted[1]);
  assert.equal(lastRejected(round({ drafted: [drafted({ verdict: "accepted" })] })), null);
});

test("a block of one draft pass is there at one moment, a chain is not, and where no time is told nothing is said", () => {
  const block = (moments, start = 0) =>
    round({
      start,
      drafted: moments.map(() => drafted({})),
      shown: moments.map((at, i) => span({ role: "rejected", drafted: i, at, decided: 9 })),
    });
  assert.ok(madeAtOnce(block([3, 3, 3])));
  assert.ok(!madeAtOnce(block([2, 3, 4])));
  assert.ok(!madeAtOnce(block([3])));
  assert.ok(!madeAtOnce(block([5, 5], 5)));
  assert.ok(!madeAtOnce(tree()) && !madeAtOnce(round({})));
});
