// What is typed goes on as it would be written.

import assert from "node:assert/strict";
import test from "node:test";
import { following } from "../../../assets/shared/following.js";

test("a new word stands behind a space, what closes a sentence does not", () => {
  assert.equal(following("the park", "went to", false), " the park");
  assert.equal(following("  the park ", "went to", false), " the park");
  assert.equal(following(", and", "went", false), ", and");
  assert.equal(following("’s", "dog", false), "’s");
});

test("no space is doubled, and none stands at the beginning", () => {
  assert.equal(following("the", "went to ", false), "the");
  assert.equal(following("the", "line\n", false), "the");
  assert.equal(following("Once", "", false), "Once");
});

test("inside a word there is none, and nothing typed is nothing", () => {
  assert.equal(following("iful", "beaut", true), "iful");
  assert.equal(following("   ", "beaut", false), "");
});
