// What the browser's engine cannot do is refused in a sentence, before a run.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom.js";
import { configOf, exclusions } from "../../../assets/site/settings.js";

const text = { kind: "str", choices: {}, pattern: "[\\s\\S]{0,400}", default: "", start: "", bound: "" };
const given = /** @type {any} */ ({
  settings: [
    { ...text, name: "grammar", key: "grammar", label: "Grammar" },
    { ...text, name: "tree", key: "tree", label: "Tree", default: "off", start: "off" },
  ],
  words: { grammar_here: "empty in the browser", value: "“{field}” is {value}; it must be {bound}", empty: "empty" },
});

test("a grammar cannot be set in the browser, and says why", () => {
  assert.deepEqual(exclusions(given, { grammar: "", tree: "off" }).why, { grammar: "empty in the browser" });
});

test("a grammar that a recorded run has set is refused by its name, and can be taken back", () => {
  assert.throws(() => configOf(given, { grammar: "a+" }), /“Grammar” is a\+; it must be empty in the browser/);
  assert.deepEqual(exclusions(given, { grammar: "a+", tree: "off" }).why, {});
  assert.equal(configOf(given, { grammar: "" }).grammar, "");
});
