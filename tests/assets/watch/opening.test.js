import assert from "node:assert/strict";
import { test } from "node:test";
import { firstQuestion, instructive } from "../../../assets/watch/opening.js";
import { questionsOf } from "../../../assets/watch/phases.js";
import { drafted, lane, round, shown } from "../picture.js";

const token = { id: 2, text: " b", partial: false };
/** @param {number} start @param {import("../../../assets/shared/types.js").Verdict[]} verdicts */
const block = (start, ...verdicts) =>
  round({
    start,
    drafted_at: start + 1,
    verified_at: start + 2,
    decided_at: start + 9,
    end: start + 10,
    drafted: verdicts.map((verdict) => drafted({ verdict })),
    emitted: verdicts.includes("rejected") ? [/** @type {any} */ ({ token, role: "corrected" })] : [],
    shown: verdicts.map((role, i) => shown({ role, drafted: i, at: start + 1, decided: start + 3 + 2 * i })),
  });
const rounds = [
  block(0, "accepted", "accepted"),
  block(10, "rejected", "unexamined"),
  block(20, "accepted", "rejected"),
];

test("the run opens where a token stays and the next does not; else where a block of several is rejected", () => {
  assert.equal(instructive(lane({ rounds })), rounds[2]);
  assert.equal(instructive(lane({ rounds: rounds.slice(0, 2) })), rounds[1]);
  assert.equal(instructive(lane({ rounds: rounds.slice(0, 1) })), null);
  assert.equal(instructive(null), null);
});

test("predictions begin in a round whose verdicts differ, if one is left", () => {
  const own = lane({ rounds: rounds.map((one, index) => ({ ...one, index })), duration: 30 });
  const questions = questionsOf(own);
  assert.equal(firstQuestion(own, questions, 0), questions[3]);
  assert.equal(firstQuestion(own, questions.slice(0, 3), 0), questions[0]);
  assert.equal(firstQuestion(own, questions, 30), undefined);
});
