import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { bound, megabytes } from "../../../assets/learn/weights.js";

test("weights are written in megabytes, for as many passes as read them", () => {
  const model = { name: "m", bytes: 50_000_000 };
  assert.deepEqual([megabytes(model), megabytes(model, 100), megabytes(model, 0)], ["50", "5,000", "0"]);
  assert.deepEqual(
    [1, 4].map((passes) => megabytes({ ...model, bytes: 21_420_000 }, passes)),
    ["21", "84"],
  );
});

const where = { target: "m", device: "cpu", parameters: 10_000_000, bytes: 20_000_000 };

test("what bounds a machine is worked out from its own passes: bytes of one, operations of many", () => {
  assert.deepEqual(bound({ ...where, ms: { 1: 4, 16: 16 } }, 16), {
    n: 16,
    operations: "20",
    share: "25.0 %",
    read: "5.0",
    each: "4.0",
  });
});

test("where sixteen tokens take sixteen passes, or by chance more, a pass is all arithmetic", () => {
  for (const most of [64, 66]) assert.equal(bound({ ...where, ms: { 1: 4, 16: most } }, 16).share, "100.0 %");
});
