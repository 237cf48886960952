// Where two greedy lanes part in a block that branches: the logits are those of the walk, whoever stands beside it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergence } from "../../../assets/engine/divergence.js";

const token = (id) => ({ id, text: String(id), partial: false });
const round = (drafted, ids) => ({
  event: "round",
  drafted,
  emitted: ids.map((id) => ({ token: token(id) })),
});

test("the pass is made again over the tree, and the row is that of the token before on its path", () => {
  const passes = [];
  const sequence = {
    append(fed, keep, _, parents) {
      passes.push([fed, parents]);
      return {
        row: (at) => Array.from({ length: 10 }, (_, id) => (keep === 1 ? id : 100 * at + id)),
      };
    },
  };
  const target = { compiled: { memory: { mark: () => 0, release() {} } }, sequence: () => sequence };
  const tree = [
    { token: token(3), parent: -1, verdict: "rejected" },
    { token: token(4), parent: -1, verdict: "accepted" },
    { token: token(5), parent: 1, verdict: "accepted" },
  ];
  const lanes = { vanilla: [4, 5, 6].map((id) => round([], [id])), speculative: [round(tree, [4, 5, 7])] };
  const parting = divergence(target, [1, 2], lanes);
  assert.equal(parting?.at, 2);
  assert.deepEqual(passes.at(-1), [
    [2, 3, 4, 5],
    [-1, 0, 0, 2],
  ]);
  assert.deepEqual(parting?.block, { vanilla: 306, speculative: 307 }); // after the second accepted token, the third that was drafted
  const chain = tree.map(({ token }, i) => ({ token, verdict: i < 2 ? "accepted" : "rejected" }));
  const other = { vanilla: [3, 6].map((id) => round([], [id])), speculative: [round(chain, [3, 4, 7])] };
  assert.deepEqual(divergence(target, [1, 2], other)?.block, {
    vanilla: 106,
    speculative: 104,
  });
  assert.deepEqual(passes.at(-1), [[2, 3, 4, 5], undefined]);
});
