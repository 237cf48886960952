import "../dom.js";
import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { wholeIn } from "../../../assets/lab/frame.js";
import { zeroSentence } from "../../../assets/lab/load.js";
import { addRound, scoresOf } from "../../../assets/lab/people.js";
import { summarySentence } from "../../../assets/lab/sweep.js";
import { addressOf, addressPanel } from "../../../assets/lab/tab.js";
import { DRAFT } from "../../../assets/learn/chapters/busy.js";
import { el } from "../../../assets/player/dom.js";
import { csv } from "../../../assets/player/rounds.js";
import { setVocabulary } from "../../../assets/player/words.js";
import { bestServed, memoryOf, servingAt, servingByK } from "../../../assets/shared/formulas.js";

const { foldFields } = await import("../../../assets/lab/frame.js");
const wide = globalThis.matchMedia;
const fold = (linkSettings) => foldFields([el("label", null, "Prompt")], linkSettings);

test("fields are folded on a phone, unless a link filled them in, and never on a wide screen", () => {
  assert.ok(fold({}).open);
  globalThis.matchMedia = (query) => ({ matches: query.includes("width") });
  try {
    assert.ok(!fold({}).open);
    assert.ok(fold({ seeds: "12" }).open);
  } finally {
    globalThis.matchMedia = wide;
  }
});

test("an address names a panel that there is, and carries its settings only", () => {
  const panels = [{ key: "mistakes" }, { key: "luck", formerly: "seeds" }];
  assert.deepEqual(addressPanel("?lab=luck&lab_seeds=9&K=4", panels), { key: "luck", settings: { seeds: "9" } });
  assert.equal(addressPanel("?lab=seeds", panels).key, "luck");
  for (const other of ["", "?lab=", "?lab=constructor", "?lab_seeds=9", "?chapter=3"])
    assert.equal(addressPanel(other, panels), null, other);
  assert.deepEqual(addressOf("luck", { seeds: "9" }), { lab: "luck", lab_seeds: "9" });
});

test("the fastest cell of a sweep is said to be the best of so many", () => {
  const words = { fastest: "{drafter}, K = {K}: {speedup}.", picked: "Best of {n}.", drafter_small: "Small" };
  const cell = (K) => ({ where: { drafter: "small", K }, speedup: { median: 1 + K / 10, runs: 3 }, disturbed: 0 });
  const says = (...Ks) => summarySentence({ cells: Ks.map(cell), done: 3, of: 3 }, words);
  assert.deepEqual([says(2), says(1, 2)], ["Small, K = 2: 1.20.", "Small, K = 2: 1.20. Best of 2."]);
});

test("a whole number within bounds is read, anything else is not", () => {
  assert.equal(wholeIn("30", [1, 100]), 30);
  for (const bad of ["", "0", "101", "1.5", "-3", "1e2", "9999999999999"]) assert.equal(wholeIn(bad, [1, 100]), null, bad);
});

test("a spreadsheet reads text as text", () => {
  assert.equal(csv([["a,b", '"', "=1+1", 2, null]]), '"a,b","""",\'=1+1,2,\r\n');
});

/** Every number of `expected` is in `actual`, to nine digits. */
function assertClose(actual, expected) {
  for (const [key, value] of Object.entries(expected)) {
    if (typeof value === "object" && value !== null) assertClose(actual[key], value);
    else if (typeof value !== "number") assert.equal(actual[key], value);
    else
      assert.ok(Math.abs(actual[key] - value) <= 1e-9 * Math.max(1, Math.abs(value)), `${key}: ${actual[key]} is not ${value}`);
  }
}

test("a step gives latency, pace and what was thrown away", () => {
  const got = servingAt({ target: [10, 10, 11], draft: 1 }, [0.5], 2, 4);
  const latency = 13 / 1.75;
  assertClose(got, {
    step: 13,
    tokens: 1.75,
    latency,
    pace: 4000 / latency,
    thrown: 1 - 1.75 / 3,
    speedup: 10 / latency,
  });
  assert.equal(servingAt({ target: [10], draft: 1 }, [0.9], 0, 4).thrown, 0);
});

test("of K that are equally fast the least is best", () => {
  const same = { target: Array(8).fill(5.44), draft: 5.44 }; // the target drafts for itself and all is kept: nothing gained
  assert.equal(bestServed(servingByK(same, [1], 8)).K, 0);
});

test("loads at which no K pays are named, also where a larger one pays again", () => {
  const words = {
    zero: "from {texts}",
    zero_between: "{none} not, from {texts}",
    zero_never: "never {texts}",
    zero_never_between: "{none} not, {texts}",
    zero_always: "all",
  };
  const [pays, not] = [
    { target: [10, 10], draft: 1 },
    { target: [10, 20], draft: 9 },
  ];
  const sentence = (...by) => {
    const grid = by.map((_, i) => 2 ** i);
    return zeroSentence({ grid, alpha: 0.7, passesOf: (texts) => by[grid.indexOf(texts)] }, words);
  };
  assert.deepEqual(
    [sentence(pays, pays), sentence(pays, not), sentence(not, not, pays), sentence(not, not), sentence(not, pays, not)],
    ["never 2", "from 2", "1, 2 not, 4", "all", "1 not, from 4"],
  );
});

test("a model takes its weights and a cache of keys and values per position", () => {
  const { weights, cache } = memoryOf(DRAFT, 1000);
  assert.equal(weights, 2 * 8.03);
  assert.equal(cache, (1000 * 2 * 32 * 8 * 128 * 2) / 1e9); // keys and values, layers, heads, their size, bytes
});

// The dots of Luck, where their rows' names stand above them: on a phone.
setVocabulary({ words: { chart_across: "", chart_up: "", chart_range: "" }, roles: {} });
const { drawDots } = await import("../../../assets/lab/luck.js");

const WIDTH = 358; // of a phone's page
const words = { row_setting: "name", row_again: "name", dot: "", speedup: "", tokens_a_round: "", alpha: "" };

test("on a phone the name of a row covers none of its dots", () => {
  const { found } = JSON.parse(readFileSync(new URL("../../../assets/lab/luck/recorded.json", import.meta.url), "utf8"));
  const root = drawDots(found, words, WIDTH);
  const numbers = (/** @type {string} */ tag, /** @type {string} */ name) =>
    [...root.querySelectorAll(tag)].map((node) => Number(node.getAttribute(name)));
  const names = [...root.querySelectorAll("text")].filter(({ textContent }) => textContent === "name");
  assert.equal(names.length, 6);
  const radius = numbers("circle", "r")[0];
  for (const name of names) {
    const baseline = Number(name.getAttribute("y"));
    const below = numbers("circle", "cy").filter((cy) => cy > baseline);
    assert.ok(Math.min(...below) - radius >= baseline + 4, "its letters hang 4 px below their line");
  }
});

// What a panel of the Lab shows as its result.
const { makeResults } = await import("../../../assets/lab/frame.js");

test("a recorded result stays, and is called recorded, until a run here has found something", async () => {
  const context = { words: { recorded: "Recorded: {target}, {K}.", empty: "" }, updateLink() {}, startRun() {} };
  const server = { recorded_luck: async () => JSON.stringify({ target: "fable", found: "old" }) };
  const painted = [];
  const form = { values: () => ({}) };
  const results = makeResults(
    { ...context, server },
    form,
    "recorded_luck",
    (now) => painted.push(now),
    null,
    (old) => ({ K: `K of ${old}` }),
  );
  await Promise.resolve();
  results.view.run();
  results.view.showResult(null); // a refusal
  assert.deepEqual(
    [painted.at(-1), results.note.textContent?.trim(), results.note.hidden],
    ["old", "Recorded: fable, K of old.", false],
  );
  results.view.showResult("new");
  assert.deepEqual([painted.at(-1), results.note.hidden], ["new", true]);
});

// What rounds come to: α of each who drafts is the mean of β over what was examined, and the text goes on by what was emitted.
const token = (id, text) => ({ id, text, partial: false });
const round = (beta, others = []) => ({
  drafted: [{ token: token(4, "=SUM"), q: 1, p: 0.25, u: 0.5, verdict: "rejected", place: null }],
  emitted: [{ token: token(5, " the"), role: "corrected", chance: 0.4 }],
  people: { drafted: 1, tested: 1, accepted: 0, beta },
  others,
  ended: null,
  greedy: false,
});
const state = () => ({
  who: "alone",
  temperature: 0.8,
  seed: 0,
  prompt: "Once",
  text: [],
  turns: [],
  room: null,
  busy: false,
});

test("α is the mean of β over what was examined; people stand first, and a drafter of a player's name is counted apart", () => {
  const one = state();
  const small = (beta) => ({ key: "small", name: "Small model", drafted: 2, tested: 2, accepted: 1, beta });
  const lookup = { key: "lookup", name: "Prompt lookup", drafted: 0, tested: 0, accepted: 0, beta: 0 };
  const large = { key: "large", name: "Large model", drafted: 1, tested: 1, accepted: 1, beta: 0.9 };
  addRound(one, round(0.25, [lookup, small(1.0), large]), "The class");
  addRound(one, round(0.75, [lookup, small(1.5), large]), "The class");
  const scores = scoresOf(one.turns).map(({ name, tested, alpha }) => [name, tested, alpha]);
  assert.deepEqual(scores, [
    ["The class", 2, 0.5],
    ["Large model", 2, 0.9],
    ["Small model", 4, 0.625],
    ["Prompt lookup", 0, null],
  ]);
  const alike = state();
  addRound(alike, round(0.5, [{ key: "x", name: "The class", drafted: 1, tested: 1, accepted: 1, beta: 1 }]), "The class");
  assert.equal(scoresOf(alike.turns).length, 2);
});
