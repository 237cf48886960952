// What is typed goes on as it would be written.

import assert from "node:assert/strict";
import test from "node:test";
import { continuation } from "../../../assets/shared/continuation.js";

test("a new word stands behind a space, what closes a sentence does not", () => {
  assert.equal(continuation("the park", "went to", false), " the park");
  assert.equal(continuation("  the park ", "went to", false), " the park");
  assert.equal(continuation(", and", "went", false), ", and");
  assert.equal(continuation("’s", "dog", false), "’s");
});

test("no space is doubled, and none stands at the beginning", () => {
  assert.equal(continuation("the", "went to ", false), "the");
  assert.equal(continuation("the", "line\n", false), "the");
  assert.equal(continuation("Once", "", false), "Once");
});

test("inside a word there is none, and nothing typed is nothing", () => {
  assert.equal(continuation("iful", "beaut", true), "iful");
  assert.equal(continuation("   ", "beaut", false), "");
});
