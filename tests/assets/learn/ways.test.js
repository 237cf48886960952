import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { costText } from "../../../assets/learn/ways/picture.js";

test("a cost too small to write is below what can be written, and an unknown one is a sign", () => {
  assert.deepEqual(
    [costText(0.004), costText(0.01), costText(0.123), costText(null)],
    ["< 0.01", "= 0.01", "= 0.12", "–"],
  );
});
