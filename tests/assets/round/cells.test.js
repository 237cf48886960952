import assert from "node:assert/strict";
import { test } from "node:test";
import { cacheLine, cellState, gatheredPlaces, readTokens, stateCell } from "../../../assets/round/cells.js";
import { setVocabulary } from "../../../assets/shared/words.js";
import { round, twoRounds } from "../picture.js";

const target = { before: 3, peak: 6, after: 5 };
const states = (/** @type {any[]} */ ...how) =>
  Array.from({ length: 7 }, (_, at) => cellState(at, how[0], how[1], how[2], how[3] ?? null));

test("a pass appends positions, and a rollback leaves those of tokens that stayed", () => {
  assert.deepEqual(states(target, false, false), ["held", "held", "held", "", "", "", ""]);
  assert.deepEqual(states(target, true, false), ["held", "held", "held", "appended", "appended", "appended", ""]);
  assert.deepEqual(states(target, true, true), ["held", "held", "held", "appended", "appended", "rolled", ""]);
});

test("a draft that never read the last accepted token misses it, and one that drafted too far forgets", () => {
  const draft = { before: 3, peak: 4, after: 4 };
  assert.deepEqual(states(draft, true, true, target).slice(3), ["appended", "missing", "", ""]);
  const behind = { before: 4, peak: 4, after: 2 };
  assert.deepEqual(states(behind, true, true).slice(0, 5), ["held", "held", "rolled", "rolled", ""]);
});

test("a state is copied before the block, and goes back to read again what is kept of it", () => {
  const row = (/** @type {any} */ cache, /** @type {any} */ phase) =>
    Array.from({ length: 7 }, (_, at) => stateCell(at, cache, phase)).map((state) => state || ".");
  const rejects = { ...target, replayed: 2 };
  assert.deepEqual(row(rejects, "draft"), [".", ".", "state", ".", ".", ".", "."]);
  assert.deepEqual(row(rejects, "verify"), [".", ".", "copy", ".", ".", "state", "."]);
  assert.deepEqual(row(rejects, "emit"), [".", ".", "copy", "again", "state", "undone", "."]);
  assert.deepEqual(row({ before: 3, peak: 6, after: 6 }, "emit"), [".", ".", ".", ".", ".", "state", "."]);
  assert.deepEqual(row(target, "emit"), [".", ".", "copy", ".", "state", "undone", "."]); // a copy after each token
});

test("the target reads the text so far and then the block", () => {
  const lane = twoRounds();
  const [first, second] = lane.rounds;
  first.emitted = [7, 8].map((id) => ({
    token: { id, text: "", partial: false },
    role: "plain",
    u: null,
    position: null,
  }));
  first.target_cache = { before: 0, peak: 3, after: 2 };
  second.target_cache = { before: 2, peak: 3, after: 3 };
  assert.deepEqual(
    readTokens(lane, first).map(({ id }) => id),
    [0, 1, 1],
  );
  assert.deepEqual(
    readTokens(lane, second).map(({ id }) => id),
    [0, 7, 8],
  );
  assert.deepEqual(readTokens({ ...lane, rounds: [round({})] }, round({})).length, 1);
});

test("the rows of a path are gathered behind the last token of the text, in their order, and the others after them", () => {
  const drafted = ["rejected", "accepted", "unexamined", "accepted", "rejected"].map((verdict) => ({ verdict }));
  assert.deepEqual(gatheredPlaces({ drafted: /** @type {any} */ (drafted) }), [0, 3, 1, 4, 2, 5]);
});

test("a state that is replayed and a window that a text outgrew are said once the round emits", () => {
  globalThis.Node ??= /** @type {any} */ (class {});
  const words = { cache_gone_one: "gone.", cache_replayed: "{n} tokens again.", cache_window: "{n} held." };
  setVocabulary(/** @type {any} */ ({ words: { ...words, cache_pass_one: "a pass" }, roles: {} }));
  const line = (/** @type {any} */ more, /** @type {any} */ phase = "emit") =>
    cacheLine(round({ target_cache: { ...target, ...more } }), phase);
  assert.equal(line({}), "gone.");
  assert.equal(line({ replayed: 2 }), "gone. 2 tokens again.");
  assert.equal(line({ replayed: 1, window: 4 }), "gone. 1 token again. 4 held.");
  assert.equal(line({ replayed: 1, window: 4 }, "verify"), "a pass");
});
