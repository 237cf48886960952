import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { megabytes } from "../../../assets/learn/weights.js";

test("weights are written in megabytes, by the bytes of their type, for as many passes as read them", () => {
  const model = { name: "m", parameters: 12_500_000, dtype: "float32" };
  assert.deepEqual([megabytes(model), megabytes(model, 100), megabytes(model, 0)], ["50", "5,000", "0"]);
  assert.deepEqual([megabytes({ ...model, dtype: "bfloat16" }), megabytes({ ...model, dtype: "int8" })], ["25", "13"]);
});
