// What a link, a saved setting or a run of the app asks for and this page has not: one sentence, and nothing wrong is set.

import assert from "node:assert/strict";
import { test } from "node:test";
import "../dom.js";
import {
  configOf,
  filledSentence,
  fitting,
  problemSentence,
  readLink,
  settingsOf,
  withoutSentence,
} from "../../../assets/site/settings.js";

const choice = {
  kind: "str",
  choices: { rejection: "", match: "" },
  saved: ["siblings"],
  default: "rejection",
  start: "rejection",
  bound: "",
};
const number = { kind: "int", low: 0, high: 32, or_zero: false, choices: {}, default: 3, start: 4, bound: "0 to 32" };
const site = {
  settings: [
    { ...choice, name: "verifier", key: "verifier", label: "Verifier" },
    { ...number, saved: [], name: "K", key: "K", label: "Drafted tokens, K" },
  ],
  drafters: [
    { key: "small", label: "Small model", kind: "model" },
    { key: "large", label: "Large model", kind: "model" },
    { key: "eagle", label: "EAGLE head", kind: "eagle" },
  ],
  absent: {
    settings: [
      { name: "tree", key: "tree", label: "Tree of guesses", default: "off", quiet: false },
      { name: "nodes", key: "nodes", label: "N", default: 16, quiet: true },
      { name: "grammar", key: "grammar", label: "Grammar", default: "", quiet: false },
    ],
    drafters: [{ key: "mtp", label: "Multi-token heads", kind: "heads" }],
    rules: [{ key: "block", label: "rule block" }],
  },
  words: {
    value: "“{field}” is {value}; it must be {bound}",
    empty: "empty",
    unknown: "there is no setting “{name}”",
    one_of: "one of {names}",
    drafter: "Drafter",
    partly: "Not all of the link was used: {problems}.",
    app_only: "only the app has “{name}”",
    without: "Only the app has {names}. Run decodes without.",
  },
};

test("a link that asks for what only the app has says so in one sentence, and the rest of it is used", () => {
  const link = readLink("?tree=static&nodes=8&K=5&drafter=mtp&verifier=block&grammar=a%2B", site);
  assert.deepEqual(link.settings, { K: 5 });
  assert.equal(
    problemSentence(link, site),
    "Not all of the link was used: only the app has “Tree of guesses”; only the app has “Multi-token heads”; " +
      "only the app has “rule block”; only the app has “Grammar”.",
  );
});

test("a link that names a setting of the app as it is without it is used whole", () => {
  assert.deepEqual(readLink("?__theme=dark&theme=dark&lab_seeds=9&utm_source=mail&session_hash=x", site).problems, []);
  assert.deepEqual(readLink("?tree=off&nodes=8&grammar=&K=2", site).problems, []);
  assert.match(readLink("?leaves=3&drafter=cat", site).problems.join(), /no setting “leaves”,“Drafter” is cat/);
});

test("a run of the app sets what this page has, the first choice for the rest, and says what is left out", () => {
  const config = { K: 4, verifier: "block", tree: "static", nodes: 16, grammar: "" };
  const header = { prompt: "Once", config, draft: { kind: "heads", name: "fable-mtp" } };
  const { values, lacking } = fitting(site, settingsOf(site, header));
  assert.deepEqual(values, { prompt: "Once", K: 4, verifier: "rejection", drafter: "small" });
  assert.equal(
    withoutSentence(lacking, site.words),
    "Only the app has “rule block”, “Tree of guesses”, “Multi-token heads”. Run decodes without.",
  );
  const chain = {
    ...header,
    config: { ...config, verifier: "match", tree: "off" },
    draft: { kind: "model", name: "a-large" },
  };
  assert.deepEqual(fitting(site, settingsOf(site, chain)), {
    values: { prompt: "Once", K: 4, verifier: "match", drafter: "large" },
    lacking: [],
  });
  assert.equal(withoutSentence([], site.words), "");
});

test("a rule of saved runs is set nowhere, and one that only the app has is refused before a run", () => {
  const header = { prompt: "Once", config: { K: 4, verifier: "siblings", tree: "off" }, draft: null };
  assert.deepEqual(fitting(site, settingsOf(site, header)), { values: { prompt: "Once", K: 4 }, lacking: [] });
  assert.match(readLink("?verifier=siblings", site).problems.join(), /“Verifier” is siblings/);
  assert.throws(() => configOf(site, { verifier: "block", K: 3 }), /“Verifier” is block/);
  assert.deepEqual(configOf(site, { verifier: "match", K: "3" }), { verifier: "match", K: 3 });
});

test("only what a link filled in is named", () => {
  const words = { prompt: "the prompt", settings: "the settings", both: "both", press: "Go." };
  const sentences = [{ prompt: "Once" }, { K: 5 }, { prompt: "Once", K: 5 }];
  const link = (settings) => filledSentence({ settings }, { link: words });
  assert.deepEqual(sentences.map(link), ["the prompt Go.", "the settings Go.", "both Go."]);
});
