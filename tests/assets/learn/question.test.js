import assert from "node:assert/strict";
import { test } from "node:test";
import { marks } from "../../../assets/learn/question.js";

const question = { ask: "?", choices: ["a", "b", "c"], right: 1, why: "" };

test("the right choice is marked whatever was chosen, a wrong one only if it was", () => {
  assert.deepEqual(marks(question, 0), ["wrong", "right", ""]);
  assert.deepEqual(marks(question, 1), ["", "right", ""]);
});
