import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { fillText, plain } from "../../../assets/shared/sentences.js";
import { speechText } from "../../../assets/shared/speech.js";
import { visible } from "../../../assets/shared/tokens.js";

test("what is filled in is not read again", () => {
  assert.equal(fillText("{a} and {b}", { a: "{b}", b: "$&" }), "{b} and $&");
});

test("a place that nothing fills is a sign", () => {
  assert.equal(fillText("{a}, {b}, {c}", { a: null, b: 0 }), "–, 0, –");
});

test("what is one is said in the singular, and no other number is", () => {
  const sentence = (n) => fillText("{n} tokens, {n} target passes, {n} drafted tokens of {of} runs", { n, of: 1 });
  assert.equal(sentence(1), "1 token, 1 target pass, 1 drafted token of 1 run");
  assert.equal(sentence("1"), sentence(1));
  assert.equal(sentence(2), "2 tokens, 2 target passes, 2 drafted tokens of 1 run");
  assert.equal(sentence("1.0"), "1.0 tokens, 1.0 target passes, 1.0 drafted tokens of 1 run");
  assert.equal(fillText("{n} of all tokens", { n: 1 }), "1 of all tokens");
});

test("a token of spaces says how many, and what else cannot be seen says its name", () => {
  assert.deepEqual([speechText(" "), speechText("   "), speechText("a\nb")], ["a space", "3 spaces", "a new line b"]);
  assert.deepEqual(["\t", "\r", "\u00a0"].map(speechText), ["tab", "carriage return", "no-break space"]);
  assert.equal(speechText("a\u200b"), "a⟨U+200B⟩");
  assert.equal(plain("spaces", { n: 2 }), "2 spaces");
});

test("what cannot be seen, or would turn the text around it, is shown by a sign or its number", () => {
  assert.equal(visible("a\nb\u202ec\u0000"), "a↵b⟨U+202E⟩c⟨U+0000⟩");
  assert.equal(visible("\t\r\u00a0"), "⇥␍⟨U+00A0⟩");
});
