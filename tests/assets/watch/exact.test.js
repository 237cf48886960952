import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { inexact } from "../../../assets/watch/exact.js";

/** @param {{ exact: boolean, K: number }} asked */
const config = (asked) => /** @type {any} */ (asked);

test("a run is called not exact where its rule is not and something was drafted", () => {
  assert.equal(inexact(config({ exact: false, K: 3 })), true);
  assert.equal(inexact(config({ exact: true, K: 3 })), false);
  assert.equal(inexact(config({ exact: false, K: 0 })), false);
});
