import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSpeedup, costs, DRAFT, TARGET, WHERE } from "../../../assets/learn/busy/server.js";
import { cacheBytes, textCapacity } from "../../../assets/shared/serving.js";

test("the longer the texts, the nearer a draft step comes to the ratio of the caches", () => {
  const c = [512, 8192, 131_072].map((context) => costs({ texts: 64, context }, 1).c);
  assert.ok(c[0] < c[1] && c[1] < c[2] && c[2] < cacheBytes(DRAFT) / cacheBytes(TARGET));
});

test("the draft takes room from texts", () => {
  assert.equal(textCapacity(TARGET, null, WHERE, 16_384), Math.floor((640e9 - 141.2e9) / (16_384 * 327_680)));
  assert.ok(textCapacity(TARGET, DRAFT, WHERE, 16_384) < textCapacity(TARGET, null, WHERE, 16_384));
  assert.equal(textCapacity(TARGET, null, WHERE, 1e9), 0);
});

test("what the key of the exercise says is so", () => {
  const [one, many] = [1, 512].map((texts) => costs({ texts, context: 512 }, 1));
  assert.deepEqual(
    [one.v, many.v, one.c, many.c].map((value) => value.toFixed(2)),
    ["1.00", "2.00", "0.11", "0.20"],
  );
  assert.deepEqual(
    [128, 8192].map((context) => bestSpeedup({ texts: 64, context }, 0.7).K),
    [3, 2],
  );
});
