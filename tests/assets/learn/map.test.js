import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { share1 } from "../../../assets/learn/map.js";

test("the head of a column has no room for a 0", () => {
  assert.deepEqual([0.1, 0.9, 1].map(share1), [".1", ".9", "1.0"]);
});
