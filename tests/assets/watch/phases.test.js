import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { PHASES, phaseEnd, questionsOf, stepAt, stepsOf, tokenOfStep } from "../../../assets/watch/phases.js";
import { twoRounds } from "../picture.js";

test("a phase is seen when all is drafted, checked, the first decided, all out; without a draft there are two", () => {
  const [drafting, plain] = twoRounds().rounds;
  assert.deepEqual(
    PHASES.map((phase) => phaseEnd(drafting, phase)),
    [6, 30, 31, 35],
  );
  assert.deepEqual(
    PHASES.map((phase) => phaseEnd(plain, phase)),
    [null, 55, null, 60],
  );
});

test("the steps of a round are its draft, its pass, each verdict and what comes out", () => {
  assert.deepEqual(stepsOf(twoRounds()), [6, 30, 31, 32, 35, 55, 60]);
});

test("a verdict is asked for between the one before and its own, so a step before it", () => {
  const questions = questionsOf(twoRounds());
  assert.deepEqual(questions, [30.5, 31.5]);
  assert.deepEqual(stepsOf(twoRounds(), questions), [6, 30, 30.5, 31, 31.5, 32, 35, 55, 60]);
});

test("a token that was never examined has no verdict to step to", () => {
  const run = twoRounds();
  run.rounds[0].drafted[1].verdict = "unexamined";
  assert.deepEqual(stepsOf(run), [6, 30, 31, 35, 55, 60]);
});

test("each step is about a token: drafted last, first of the block, decided or next, and what came out", () => {
  const about = (/** @type {number} */ t) => {
    const token = tokenOfStep(stepAt(twoRounds(), t), "speculative");
    return token && [token.round, token.drafted, token.emitted];
  };
  assert.equal(about(0), null);
  assert.deepEqual([6, 30, 30.5, 31, 31.5, 32, 35].map(about), [
    [0, 1, null],
    [0, 0, 0],
    [0, 0, 0],
    [0, 0, 0],
    [0, 1, null],
    [0, 1, null],
    [0, null, 1],
  ]);
  assert.equal(about(55), null);
  assert.deepEqual(about(60), [1, null, 0]);
});

test("where a replay stands goes from draft to emit, and the end of a round is its own", () => {
  const at = (/** @type {number} */ t) => {
    const { round, phase, drafted, decided, next, over } = stepAt(twoRounds(), t);
    return [round.index, phase, drafted, decided, next, over];
  };
  assert.deepEqual(at(0), [0, "draft", 0, 0, null, false]);
  assert.deepEqual(at(6), [0, "draft", 2, 0, null, false]);
  assert.deepEqual(at(10), [0, "verify", 2, 0, null, false]);
  assert.deepEqual(at(30), [0, "verify", 2, 0, null, false]);
  assert.deepEqual(at(30.5), [0, "decide", 2, 0, 0, false]);
  assert.deepEqual(at(31), [0, "decide", 2, 1, null, false]);
  assert.deepEqual(at(33), [0, "emit", 2, 2, null, false]);
  assert.deepEqual(at(35), [0, "emit", 2, 2, null, false]);
  assert.deepEqual(at(36), [1, "verify", 0, 0, null, false]);
  assert.deepEqual(at(60), [1, "emit", 0, 0, null, false]);
  assert.deepEqual(at(70), [1, "emit", 0, 0, null, true]);
});
