// Where two greedy lanes part: the logits are those of the passes that wrote both tokens.

import assert from "node:assert/strict";
import { test } from "node:test";
import { divergence } from "../../../assets/engine/divergence.js";

const token = (id) => ({ id, text: String(id), partial: false });
const round = (drafted, ids) => ({ event: "round", drafted, emitted: ids.map((id) => ({ token: token(id) })) });

test("the pass over the block is made again, and the row is that of the token before", () => {
  const passes = [];
  const sequence = {
    append(fed, keep) {
      passes.push(fed);
      return { row: (at) => Array.from({ length: 10 }, (_, id) => (keep === 1 ? id : 100 * at + id)) };
    },
  };
  const target = { compiled: { memory: { mark: () => 0, release() {} } }, sequence: () => sequence };
  const drafted = [3, 4, 5].map((id, i) => ({ token: token(id), verdict: i < 2 ? "accepted" : "rejected" }));
  const lanes = { vanilla: [3, 6].map((id) => round([], [id])), speculative: [round(drafted, [3, 4, 7])] };
  const parting = divergence(target, [1, 2], lanes);
  assert.equal(parting?.at, 1);
  assert.deepEqual(parting?.block, { vanilla: 106, speculative: 104 });
  assert.deepEqual(passes.at(-1), [2, 3, 4, 5]);
});
