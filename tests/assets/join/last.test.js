import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { guessSentences, pollResult } from "../../../assets/join/join.js";

const token = { id: 1, text: " a", partial: false };
const words = Object.fromEntries(
  ["keep", "reject", "would_keep", "would_reject", "keep_greedy", "reject_greedy", "rare"].map((name) => [
    `own_${name}`,
    `${name} {token} {p} {q} {u}`,
  ]),
);

test("a phone is told its own guess's p, q and u and whether it passes, whichever guess was drawn", () => {
  const own = { token, p: 0.3, q: 0.5, u: 0.6, passes: true, drafted: true };
  const lines = (values) =>
    guessSentences([{ ...own, ...values }], words)
      .slice(1)
      .map((node) => node.textContent.split(" ")[0]);
  assert.deepEqual(lines({}), ["keep"]);
  assert.match(guessSentences([own], words)[1].textContent, /0\.300 0\.500 0\.600/);
  assert.deepEqual(lines({ passes: false }), ["reject"]);
  assert.deepEqual(lines({ drafted: false }), ["would_keep"]);
  assert.deepEqual(lines({ drafted: false, passes: false }), ["would_reject"]);
  assert.deepEqual(lines({ drafted: false, u: null }), ["keep_greedy"]);
  assert.deepEqual(lines({ drafted: false, p: null, q: null, passes: null }), ["rare"]);
  assert.deepEqual(guessSentences([], words), []);
});

test("a phone is told whether its own answer was right, once the answer is shown", () => {
  const words = { vote: "v", voted: "sent", vote_right: "yes", vote_wrong: "no", vote_wait: "wait" };
  const poll = { about: "", ask: "", choices: ["x", "y"], own: 1 };
  assert.equal(pollResult({ ...poll, own: null }, words), "v");
  assert.equal(pollResult(poll, words), "sent");
  assert.equal(pollResult({ ...poll, right: 1, why: "so" }, words), "yes so wait");
  assert.equal(pollResult({ ...poll, right: 0, why: "so" }, words), "no so wait");
  assert.equal(pollResult({ ...poll, own: null, right: 0, why: "so" }, words), "so wait");
});
