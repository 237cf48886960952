// What the browser's engine cannot do is refused in a sentence, before a run.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom.js";
import { configOf, exclusions, filledSentence } from "../../../assets/site/settings.js";

const text = { kind: "str", choices: {}, pattern: "[\\s\\S]{0,400}", default: "", start: "", bound: "" };
const site = {
  settings: [
    { ...text, name: "grammar", key: "grammar", label: "Grammar" },
    { ...text, name: "tree", key: "tree", label: "Tree", default: "off", start: "off" },
  ],
  words: { grammar_here: "empty in the browser", value: "“{field}” is {value}; it must be {bound}", empty: "empty" },
};

test("a grammar cannot be set in the browser, and says why", () => {
  assert.deepEqual(exclusions(site, { grammar: "", tree: "off" }).why, { grammar: "empty in the browser" });
});

test("a grammar that a recorded run has set is refused by its name, and can be taken back", () => {
  assert.throws(() => configOf(site, { grammar: "a+" }), /“Grammar” is a\+; it must be empty in the browser/);
  assert.deepEqual(exclusions(site, { grammar: "a+", tree: "off" }).why, {});
  assert.equal(configOf(site, { grammar: "" }).grammar, "");
});

test("only what a link filled in is named", () => {
  const words = { prompt: "the prompt", settings: "the settings", both: "both", press: "Go." };
  const sentences = [{ prompt: "Once" }, { K: 5 }, { prompt: "Once", K: 5 }];
  const link = (settings) => filledSentence({ settings }, { link: words });
  assert.deepEqual(sentences.map(link), ["the prompt Go.", "the settings Go.", "both Go."]);
});

test("a dynamic tree of sampled tokens says what it must be before a run", () => {
  const sampled = { grammar: "", tree: "dynamic", drafting: "sample", temperature: "0.8" };
  const why = (values) => exclusions({ ...site, words: { tree_sampled: "off" } }, { ...sampled, ...values }).why.tree;
  assert.equal(why({}), "off");
  for (const change of [{ tree: "static" }, { drafting: "argmax" }, { temperature: "0" }])
    assert.equal(why(change), undefined);
});
