import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { largestEntries, largestResidualEntries } from "../../../assets/player/bars.js";
import { shares } from "../../../assets/player/dom.js";
import { leaders, matrixRows } from "../../../assets/player/inspector.js";
import { setVocabulary } from "../../../assets/player/words.js";

const token = (id) => ({ id, text: String(id), partial: false });
const entry = (id, p, q) => ({ token: token(id), p, q });
const near = (a, b) => assert.ok(Math.abs((a ?? Number.NaN) - b) < 1e-9);

// p over ten tokens falls, q rises; what is left of each is in the rest
const entries = Array.from({ length: 10 }, (_, i) => entry(i, 0.1 - i / 100, 0.01 + i / 100));
const position = { entries, p_rest: 0.45, q_rest: 0.45, beta: 0.7, p_entropy: 1, q_entropy: 1, told: [] };
const sum = (rows, key) => rows.reduce((all, row) => all + (row[key] || 0), 0);

test("eight tokens by the larger of p and q have rows, and the rest is what they leave of 1, of q if there is one", () => {
  const { rows, rest } = largestEntries(position, { token: token(0) });
  assert.equal(rows.length, 8);
  near(sum(rows, "p") + rest.p, 1);
  near(sum(rows, "q") + (rest.q || 0), 1);
  const alone = { ...position, entries: [{ token: token(1), p: 0.6, q: null }], p_rest: 0.4, q_rest: null, beta: null };
  assert.deepEqual(largestEntries(alone, { token: token(1) }).rest, { p: 0.4, q: null });
});

test("a plot has all tokens that the run kept, and the rest is what they leave of 1", () => {
  const { rows, rest } = largestEntries(position, { token: token(0) }, Number.POSITIVE_INFINITY);
  assert.equal(rows.length, 10);
  near(rest.p, 0.45);
});

test("the token in question has a row where it is small, also where it was recorded apart from the list", () => {
  assert.ok(largestEntries(position, { token: token(5) }).rows.some((row) => row.token.id === 5));
  const { rows, rest } = largestEntries(position, { token: token(99), p: 0.05, q: 0.02 });
  assert.equal(rows.at(-1)?.token.id, 99);
  near(sum(rows, "p") + rest.p, 1);
  near(sum(rows, "q") + (rest.q || 0), 1);
});

test("where the draft's largest was drafted its softmax is beside p, its largest have rows too, and it adds up to 1", () => {
  const own = { entries: entries.map((_, i) => (i === 9 ? 0.5 : 0.05)), rest: 0.05, entropy: 1 };
  const onehot = entries.map((one, i) => ({ ...one, q: i === 9 ? 1 : 0 }));
  const { rows, rest } = largestEntries({ ...position, entries: onehot, q_rest: 0, own }, { token: token(0) });
  assert.deepEqual([rows[0].token.id, rows[0].q, rows[0].s], [9, 1, 0.5]);
  near(rows.reduce((all, row) => all + (row.s || 0), 0) + (rest.s || 0), 1);
});

test("the residual shows seven tokens and the one that was drawn from it, and the rest adds up", () => {
  const all = Array.from({ length: 9 }, (_, i) => ({ token: token(i), p: 0.1 }));
  const residual = { entries: all, rest: 0.1, mass: 0.4 };
  const { rows, match: found, rest } = largestResidualEntries(residual, token(8));
  assert.deepEqual([rows.length, found?.token.id], [8, 8]);
  near(rows.reduce((whole, { p }) => whole + p, 0) + rest, 1);
  assert.equal(largestResidualEntries(residual, token(77)).match, null);
});

setVocabulary({
  words: {
    rule_rejection: "p/q",
    rule_match: "match",
    rule_argmax: "argmax",
    and: " and ",
    matrix_one: "{most} leads",
    matrix_tie: "{most} tie",
    matrix_same: "all equal",
  },
  roles: {},
});

const chances = { rejection: 0.7, match: 0.35, argmax: 0.4 };

test("of the rules at a position the one that ran is marked, and none where it has no chance there", () => {
  const marked = (ran) => matrixRows(chances, ran).filter((row) => row.ran);
  assert.deepEqual(marked("match"), [{ rule: "match", chance: 0.35, ran: true }]);
  assert.deepEqual(marked("block"), []);
});

test("the rule that accepts most is named, and all that are equal to it", () => {
  const most = (...means) => {
    const [rejection, match, argmax] = means;
    return leaders({ rejection, match, argmax });
  };
  assert.equal(most(0.7, 0.35, 0.4), "p/q leads");
  assert.equal(most(0.5, 0.39, 0.9), "argmax leads");
  assert.equal(most(0.6, 0.4, 0.6), "p/q and argmax tie");
  assert.equal(most(0.600001, 0.4, 0.6), "p/q and argmax tie"); // what is sent is rounded
  assert.equal(most(0.6001, 0.4, 0.6), "p/q leads");
  assert.equal(most(0.8, 0.8, 0.8), "all equal"); // as where a draft copies: q is one-hot
});

test("a position that no block reached has no share of those that did", () => {
  const at = { position: 3, drafted: 4, reached: 0, accepted: 0, given_reached: null, of_blocks: 0 };
  assert.equal(shares(at)[0], "–");
  assert.equal(shares({ ...at, reached: 2, accepted: 1, given_reached: 0.5, of_blocks: 0.25 })[1], "25.0 %");
});
