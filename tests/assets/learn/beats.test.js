import assert from "node:assert/strict";
import { test } from "node:test";
import { beatAt, ends, evenly, onceABeat } from "../../../assets/learn/beats.js";

const beats = evenly([["a"], ["b"], ["c"]], 700);

test("beats stand at even distances from the beginning", () => {
  assert.deepEqual(
    beats.map(({ at }) => at),
    [0, 700, 1400],
  );
});

test("a beat holds from its moment until the next one's, the last to the end", () => {
  assert.deepEqual(
    [-1, 0, 699, 700, 1399, 1400, 9000].map((t) => beatAt(beats, t)),
    [0, 0, 0, 1, 1, 2, 2],
  );
});

test("a step goes to just before the next beat, where its own is seen whole", () => {
  assert.deepEqual(ends(beats, 2000), [699, 1399, 2000]);
  assert.deepEqual(
    ends(beats, 2000).map((t) => beatAt(beats, t)),
    [0, 1, 2],
  );
});

test("what is drawn of a beat is drawn once while it holds, and again when it comes back", () => {
  /** @type {number[]} */
  const drawn = [];
  const show = onceABeat((i) => drawn.push(i));
  for (const i of [0, 0, 1, 1, 1, 0]) show(i);
  assert.deepEqual(drawn, [0, 1, 0]);
});
