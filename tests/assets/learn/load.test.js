import assert from "node:assert/strict";
import { test } from "node:test";
import { bestSpeedup, costs, DRAFT, TARGET, WHERE } from "../../../assets/learn/busy/server.js";
import { cacheBytes, parametersRead, passMs, textCapacity } from "../../../assets/shared/serving.js";

test("a pass reads the weights once and the cache of every text, and computes for every token", () => {
  const [read, compute] = passMs(TARGET, WHERE, { texts: 10, context: 1000 }, 4);
  assert.equal(cacheBytes(TARGET), 2 * 80 * 8 * 128 * 2);
  assert.equal(read.toFixed(9), ((1e3 * (141.2e9 + 10 * 1000 * 327_680)) / (8 * 3.35e12)).toFixed(9));
  assert.equal(compute.toFixed(9), ((1e3 * 40 * (141.2e9 + 4 * 1000 * 80 * 64 * 128)) / (8 * 989e12)).toFixed(9));
});

test("a mixture of experts reads what is active for one token and nearly all for many", () => {
  const mixture = { name: "", parameters: 30.5, active: 3.3, experts: 128, chosen: 8 };
  assert.deepEqual(
    [1, 4, 10_000].map((tokens) => parametersRead(mixture, tokens).toFixed(1)),
    ["3.3", "8.1", "30.5"], // so a check is not free, even for one text
  );
  assert.equal(parametersRead(TARGET, 1000), 70.6);
});

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
