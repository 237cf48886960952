import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { small } from "../../../assets/learn/ways/picture.js";

test("a cost too small to write is below what can be written, and an unknown one is a sign", () => {
  assert.deepEqual([small(0.004), small(0.01), small(0.123), small(null)], ["< 0.01", "= 0.01", "= 0.12", "–"]);
});
