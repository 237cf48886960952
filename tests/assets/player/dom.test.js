import "../page.js";
import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { rising, upTo } from "../../../assets/player/clock.js";
import {
  continuation,
  readStored,
  readTabStored,
  scaleTop,
  share,
  speechText,
  visible,
  writeStored,
  writeTabStored,
} from "../../../assets/player/dom.js";
import { fillText, milliseconds, minute, number, percent, plain, probability, times } from "../../../assets/player/words.js";
import { mapped } from "../mapped.js";

test("what is filled in is not read again, and a place that nothing fills is a sign", () => {
  assert.equal(fillText("{a} and {b}", { a: "{b}", b: "$&" }), "{b} and $&");
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

test("what cannot be seen, or would turn the text around it, is shown by its name, a sign or its number", () => {
  assert.deepEqual([speechText(" "), speechText("   "), speechText("a\nb")], ["a space", "3 spaces", "a new line b"]);
  assert.deepEqual(["\t", "\r", "\u00a0"].map(speechText), ["tab", "carriage return", "no-break space"]);
  assert.equal(speechText("a\u200b"), "a⟨U+200B⟩");
  assert.equal(plain("spaces", { n: 2 }), "2 spaces");
  assert.equal(visible("a\nb\u202ec\u0000"), "a↵b⟨U+202E⟩c⟨U+0000⟩");
  assert.equal(visible("\t\r\u00a0"), "⇥␍⟨U+00A0⟩");
});

test("a number has as many digits as were asked for, what would round to nothing says so, and none is a sign", () => {
  assert.deepEqual([number(1234.5, 1), number(0, 2), number(0.004, 2), number(-0.004, 2)], ["1,234.5", "0", "<0.01", "<0.01"]);
  const texts = [number(null, 1), number(undefined, 1), percent(null), times(undefined), probability(null)];
  assert.deepEqual([...new Set(texts)], ["–"]);
});

test("a small probability keeps two digits, milliseconds lose them as they grow, shares and factors carry their sign", () => {
  const texts = [1, 0.5, 0.01, 0.00123, 0.000012, 0.0000012, 0].map(probability);
  assert.deepEqual(texts, ["1.000", "0.500", "0.010", "0.0012", "0.000012", "1.2e-6", "0"]);
  assert.deepEqual([3.333, 33.33, 333.3].map(milliseconds), ["3.33", "33.3", "333"]);
  assert.deepEqual([percent(0.1234), times(1.5)], ["12.3 %", "1.50×"]);
});

test("a time in UTC is written to the minute, and what is no such time stands as it is", () => {
  const texts = ["2026-11-24T16:55:12+00:00", "2026-11-24T16:55Z", "2026-11-24T16:55:12+02:00", "20261124"].map(minute);
  assert.deepEqual(texts, ["2026-11-24 16:55 UTC", "2026-11-24 16:55 UTC", "2026-11-24T16:55:12+02:00", "20261124"]);
});

// What is typed goes on as it would be written.

test("a new word stands behind a space, and none is doubled or stands at the beginning or inside a word", () => {
  assert.equal(continuation("the park", "went to", false), " the park");
  assert.equal(continuation("  the park ", "went to", false), " the park");
  assert.equal(continuation(", and", "went", false), ", and");
  assert.equal(continuation("’s", "dog", false), "’s");
  assert.equal(continuation("the", "went to ", false), "the");
  assert.equal(continuation("the", "line\n", false), "the");
  assert.equal(continuation("Once", "", false), "Once");
  assert.equal(continuation("iful", "beaut", true), "iful");
  assert.equal(continuation("   ", "beaut", false), "");
});

test("what is kept comes back under its name, null forgets it, and what a tab keeps is of its address", () => {
  assert.equal(writeStored("settings", "K=4"), true);
  assert.deepEqual([localStorage.getItem("specviz.settings"), readStored("settings")], ['"K=4"', "K=4"]);
  writeStored("settings", null);
  assert.deepEqual([localStorage.length, readStored("settings")], [0, null]);
  history.replaceState(null, "", "/room/abc");
  writeTabStored("seat", "s");
  assert.deepEqual([sessionStorage.getItem("specviz.seat /room/abc"), readTabStored("seat")], ['"s"', "s"]);
  history.replaceState(null, "", "/room/def");
  assert.equal(readTabStored("seat"), null);
});

test("where a browser keeps nothing, has no room or holds nonsense, nothing breaks", () => {
  localStorage.setItem("specviz.runs", "{");
  assert.equal(readStored("runs"), null);
  const full = {
    setItem() {
      throw new Error("no room");
    },
  };
  for (const storage of [full, undefined]) {
    globalThis.localStorage = globalThis.sessionStorage = storage;
    assert.deepEqual([writeStored("runs", [1]), readStored("runs")], [false, null]);
    assert.deepEqual([writeTabStored("seat", "s"), readTabStored("seat")], [false, null]);
  }
});

test("a bar is a share of its row and never leaves it, and a scale ends where the longest one fits in", () => {
  assert.deepEqual([share(0.25, 0.5), share(2, 1), share(-1, 1)], ["50%", "100%", "0%"]);
  assert.deepEqual([[0.05], [0.1], [0.11, 0.3], [0.61], [0.99], []].map(scaleTop), [0.1, 0.1, 0.3, 0.8, 1, 0.1]);
});

test("moments that come back or stand still are one", () => {
  assert.deepEqual(rising([1, 1, 3, 2, 3.0000001, 4]), [1, 3, 4]);
});

test("how many of a sorted list have come is found without looking at all", () => {
  let looked = 0;
  const list = Array.from({ length: 1000 }, (_, i) => i);
  const time = (x) => {
    looked += 1;
    return x;
  };
  mapped([-1, 0, 499.5, 999, 2000], (t) => upTo(list, t, time), [0, 1, 500, 1000, 1000]);
  assert.ok(looked <= 5 * 10);
});
