import "../page.js";
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { gunzipSync } from "node:zlib";
import { cacheLine, cellState, gatheredPlaces, stateCell } from "../../../assets/player/caches.js";
import { readTokens } from "../../../assets/player/clock.js";
import { layoutOf } from "../../../assets/player/round.js";
import { setVocabulary } from "../../../assets/player/words.js";
import { mapped } from "../mapped.js";
import { drafted, round, twoRounds } from "../picture.js";
import { sixtyFour, tree } from "./rounds.js";

const target = { before: 3, peak: 6, after: 5 };
const states = (...how) => Array.from({ length: 7 }, (_, at) => cellState(at, how[0], how[1], how[2], how[3] ?? null));

test("a draft that never read the last accepted token misses it, and one that drafted too far forgets", () => {
  const draft = { before: 3, peak: 4, after: 4 };
  assert.deepEqual(states(draft, true, true, target).slice(3), ["appended", "missing", "", ""]);
  const behind = { before: 4, peak: 4, after: 2 };
  assert.deepEqual(states(behind, true, true).slice(0, 5), ["held", "held", "rolled", "rolled", ""]);
});

test("a state is copied before the block, and goes back to read again what is kept of it", () => {
  const row = (cache, phase) => Array.from({ length: 7 }, (_, at) => stateCell(at, cache, phase)).map((state) => state || ".");
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
  mapped(readTokens(lane, first), ({ id }) => id, [0, 1, 1]);
  mapped(readTokens(lane, second), ({ id }) => id, [0, 7, 8]);
  assert.deepEqual(readTokens({ ...lane, rounds: [round({})] }, round({})).length, 1);
});

test("the rows of a path are gathered behind the last token of the text, in their order, and the others after them", () => {
  const drafted = ["rejected", "accepted", "unexamined", "accepted", "rejected"].map((verdict) => ({ verdict }));
  assert.deepEqual(gatheredPlaces({ drafted }), [0, 3, 1, 4, 2, 5]);
});

test("a state that is replayed and a window that a text outgrew are said once the round emits", () => {
  const words = { cache_gone_one: "gone.", cache_replayed: "{n} tokens again.", cache_window: "{n} held." };
  setVocabulary({ words: { ...words, cache_pass_one: "a pass" }, roles: {} });
  const line = (more, phase = "emit") => cacheLine(round({ target_cache: { ...target, ...more } }), phase);
  assert.equal(line({}), "gone.");
  assert.equal(line({ replayed: 2 }), "gone. 2 tokens again.");
  assert.equal(line({ replayed: 1, window: 4 }), "gone. 1 token again. 4 held.");
  assert.equal(line({ replayed: 1, window: 4 }, "verify"), "a pass");
});

const TRACES = new URL("../../../assets/traces/", import.meta.url);
const HEADS = ["eagle", "mtp", "block"]; // they read the target's features

/** The events of a run that comes with the app, its header first. */
const recordedEvents = (file) =>
  gunzipSync(readFileSync(new URL(file, TRACES)))
    .toString()
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The tokens of a round that the target's cache has a position of and the draft's has not. Position i of a model holds token
 * i, that of a head token i + 1 and the feature before it. */
function lackedTokens({ target_cache, draft_cache, emitted }, ofHead) {
  const first = target_cache.before + (ofHead ? 0 : 1); // the position of the round's first token
  return emitted.slice(draft_cache.after - first, target_cache.after - first);
}

test("in every recorded round that drafted, what a draft is said to lack is what its cache lacks", () => {
  const words = {
    cache_unread: "the last accepted",
    cache_lacks: "{n} tokens of this round",
    cache_forgets: "forgets",
  };
  setVocabulary({
    words: { cache_gone: "", cache_gone_one: "", cache_gathered: "", cache_kept: "", ...words },
    roles: {},
  });
  const seen = new Set();
  for (const file of readdirSync(TRACES).filter((name) => name.endsWith(".jsonl.gz"))) {
    const [{ drafter }, ...events] = recordedEvents(file);
    const ofHead = HEADS.includes(drafter);
    for (const each of events.filter(
      ({ lane, drafted, draft_cache: cache }) => lane === "speculative" && drafted?.length && cache,
    )) {
      const [lacked, { peak, after }] = [lackedTokens(each, ofHead), each.draft_cache];
      const line = cacheLine(each, "emit");
      const accepted = each.emitted.filter(({ role }) => role === "accepted");
      const about = `${file}, round ${each.index + 1}: ${line}`;
      if (ofHead) assert.deepEqual(lacked, each.emitted, about);
      else if (lacked.length) assert.deepEqual(lacked, accepted.slice(-1), about);
      assert.equal(line.includes("last accepted"), !ofHead && lacked.length === 1, about);
      assert.equal(Number(/(\d+) tokens? of this round/.exec(line)?.[1] ?? 0), ofHead ? lacked.length : 0, about);
      assert.equal(line.includes("forgets"), ofHead && peak > after, about);
      seen.add(`${ofHead} ${accepted.length ? each.emitted.at(-1).role : "none"} ${lacked.length > 0}`);
    }
  }
  for (const kind of ["true none true", "true bonus true", "true corrected true", "false bonus true", "false none false"])
    assert.ok(seen.has(kind), kind);
});

test("multi-token heads, whose first lane reads no drafted token, forget nothing", () => {
  const words = { cache_kept: "kept.", cache_lacks: "{n} tokens of this round", cache_forgets: "forgets" };
  setVocabulary({ words, roles: {} });
  const emitted = round({
    drafted: [{ verdict: "accepted", parent: null }],
    target_cache: { before: 4, peak: 6, after: 6 },
    draft_cache: { before: 3, peak: 4, after: 4 },
  });
  assert.equal(cacheLine(emitted, "emit"), "kept. 2 tokens of this round");
});

// Where the tokens of a round stand.

const at = ({ x, y }) => [x, y];

test("a chain is one row, and what replaces its rejected token stands below it", () => {
  const [chain] = twoRounds().rounds;
  chain.emitted = [{ role: "accepted" }, { role: "corrected" }];
  const { spots, rows, columns, order, extra } = layoutOf(chain);
  assert.deepEqual(spots.map(at), [
    [0, 0],
    [1, 0],
    [2, 0],
  ]);
  assert.deepEqual([rows, columns, order, extra && at(extra)], [2, 4, [0, 1, 2], [2, 1]]);
});

test("a bonus token goes on where the path ends, and without a draft what comes out goes on from the text", () => {
  const accepted = [drafted({ verdict: "accepted" }), drafted({ verdict: "accepted" })];
  const { extra } = layoutOf(round({ drafted: accepted, emitted: [{ role: "bonus" }] }));
  assert.deepEqual(extra && at(extra), [3, 0]);
  const plain = layoutOf(round({ emitted: [{ role: "plain" }] }));
  assert.deepEqual([plain.spots.map(at), plain.extra && at(plain.extra)], [[[0, 0]], [1, 0]]);
});

test("a column is a depth, siblings stand below each other by rank, and an outline reads a token before its children", () => {
  const { spots, order } = layoutOf(tree());
  mapped(spots, ({ x }) => x, [0, 1, 1, 1, 2, 2, 2]);
  assert.ok(spots[1].y < spots[2].y && spots[2].y < spots[3].y && spots[5].y < spots[6].y);
  assert.deepEqual(order, [0, 1, 4, 2, 5, 6, 3]);
});

test("no two of sixty-four tokens come nearer than a row, nor does what comes out, wherever the path ends", () => {
  const big = sixtyFour();
  assert.equal(big.drafted.length, 64);
  big.emitted = [{ role: "corrected" }];
  for (const end of [-1, 0, 7, 40, 63]) {
    for (let i = end; i >= 0; i = big.drafted[i].parent ?? -1) big.drafted[i].verdict = "accepted";
    const { spots, rows, columns, extra } = layoutOf(big);
    const all = [...spots, extra];
    for (const [i, one] of all.entries()) {
      assert.ok(one.x < columns && one.y >= 0 && one.y <= rows - 1);
      for (const other of all.slice(0, i)) assert.ok(one.x !== other.x || Math.abs(one.y - other.y) >= 1 - 1e-9);
    }
    for (const one of big.drafted) one.verdict = "unexamined";
  }
});

test("where they would take more rows than can be read, tokens without children stand two abreast", () => {
  const parents = [...Array(8).fill(-1), ...Array.from({ length: 56 }, (_, i) => Math.floor(i / 7))];
  const children = parents.map((parent) => drafted({ parent, depth: parent < 0 ? 1 : 2 }));
  const wide = round({ drafted: children, emitted: [{ role: "corrected" }] });
  const { spots, rows, columns, order, extra } = layoutOf(wide);
  assert.deepEqual([rows, columns], [8 * 4 + 1, 4]);
  assert.deepEqual(order.slice(0, 9), [0, 1, 9, 10, 11, 12, 13, 14, 15]);
  mapped(spots.slice(9, 11), ({ depth }) => depth, [2, 2]);
  const all = [...spots, extra];
  for (const [i, one] of all.entries())
    for (const other of all.slice(0, i)) {
      const beside = one.x >= other.x + other.wide || other.x >= one.x + one.wide;
      assert.ok(beside || Math.abs(one.y - other.y) >= 1 - 1e-9);
    }
});

test("what becomes of a draft moves none of it", () => {
  const before = layoutOf(sixtyFour()).spots;
  const decided = sixtyFour();
  decided.drafted[3].verdict = "accepted";
  decided.emitted = [{ role: "bonus" }];
  assert.deepEqual(layoutOf(decided).spots, before);
});
