import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { filled, plain } from "../../../assets/shared/sentences.js";
import { spoken, visible } from "../../../assets/shared/tokens.js";

test("what is filled in is not read again", () => {
  assert.equal(filled("{a} and {b}", { a: "{b}", b: "$&" }), "{b} and $&");
});

test("a place that nothing fills is a sign", () => {
  assert.equal(filled("{a}, {b}, {c}", { a: null, b: 0 }), "–, 0, –");
});

test("a token of spaces says how many, a line break says its name", () => {
  assert.deepEqual([spoken(" "), spoken("   "), spoken("a\nb")], ["a space", "3 spaces", "a new line b"]);
  assert.equal(plain("spaces", { n: 2 }), "2 spaces");
});

test("what cannot be seen, or would turn the text around it, is shown by a sign or its number", () => {
  assert.equal(visible("a\nb\u202ec\u0000"), "a↵b⟨U+202E⟩c⟨U+0000⟩");
});
