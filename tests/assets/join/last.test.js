import assert from "node:assert/strict";
import { test } from "node:test";
import { ownPart } from "../../../assets/join/join.js";
import { pollResult } from "../../../assets/join/poll.js";
import { drafted } from "../picture.js";

const [a, b, c] = [" a", " b", " c"].map((text, id) => ({ id, text, partial: false }));
const played = { drafted: [drafted({ token: a, verdict: "accepted" }), drafted({ token: b, verdict: "rejected" })] };

test("of a guess was drawn what stands at the beginning of both", () => {
  assert.deepEqual(ownPart([a, b, c], played), { draftedCount: 2, accepted: [a], rejected: [b] });
  assert.deepEqual(ownPart([a, c], played), { draftedCount: 1, accepted: [a], rejected: [] });
  assert.deepEqual(ownPart([b], played), { draftedCount: 0, accepted: [], rejected: [] });
});

test("a phone is told whether its own answer was right, once the answer is shown", () => {
  const words = { vote: "v", voted: "sent", vote_right: "yes", vote_wrong: "no" };
  const poll = { about: "", ask: "", choices: ["x", "y"], own: 1 };
  assert.equal(pollResult({ ...poll, own: null }, words), "v");
  assert.equal(pollResult(poll, words), "sent");
  assert.equal(pollResult({ ...poll, right: 1, why: "so" }, words), "yes so");
  assert.equal(pollResult({ ...poll, right: 0, why: "so" }, words), "no so");
  assert.equal(pollResult({ ...poll, own: null, right: 0, why: "so" }, words), "so");
});
