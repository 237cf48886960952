import assert from "node:assert/strict";
import { test } from "node:test";
import { withRun } from "../../../assets/keep/stored_runs.js";

const run = (n, size = 3) => ({ id: `run ${n}`, source: "run", data: "x".repeat(size) });
const ids = (runs) => runs.map(({ id }) => Number(id.slice(4)));

test("the last twelve runs are kept, each once, the newest at the end", () => {
  let runs = [];
  for (let n = 0; n < 15; n++) runs = withRun(runs, run(n));
  assert.deepEqual(ids(runs), [3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14]);
  assert.deepEqual(ids(withRun(runs, run(5))).slice(-2), [14, 5]);
});

test("the first ones go where there is no room for all, and one that is too large alone is not kept", () => {
  const large = [run(1, 900_000), run(2, 900_000)];
  assert.deepEqual(ids(withRun(large, run(3, 900_000), 2_000_000)), [2, 3]);
  assert.deepEqual(withRun(large, run(4, 3_000_000), 2_000_000), []);
});

test("recorded runs that are opened push out recorded ones, and none of one's own", () => {
  const recorded = (n) => ({ ...run(n), source: "recorded" });
  let runs = [1, 2, 3].map((n) => run(n));
  for (let n = 10; n < 30; n++) runs = withRun(runs, recorded(n));
  assert.deepEqual(ids(runs), [1, 2, 3, 21, 22, 23, 24, 25, 26, 27, 28, 29]);
  let own = runs;
  for (let n = 40; n < 49; n++) own = withRun(own, run(n));
  assert.deepEqual(ids(withRun(own, recorded(50))), ids(own));
});
