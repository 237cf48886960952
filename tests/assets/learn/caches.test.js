import assert from "node:assert/strict";
import { test } from "node:test";
import { counted } from "../../../assets/learn/rounds/caches.js";

/** @import { Cached } from "../../../assets/learn/types.js" */

/** @type {Cached[]} */
const round = [
  { text: "a", role: "accepted", target: "held", draft: "held" },
  { text: "b", role: "rejected", target: "back", draft: "back" },
  { text: "c", role: "unexamined", target: "back", draft: "none" },
  { text: "d", role: "corrected", target: "none", draft: "none" },
];

test("what each cache holds of a round, gave back and was never fed is counted", () => {
  assert.deepEqual(counted(round, "target"), { held: 1, back: 2, none: 1 });
  assert.deepEqual(counted(round, "draft"), { held: 1, back: 1, none: 2 });
});
