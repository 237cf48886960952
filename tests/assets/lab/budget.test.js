// A budget of checked positions: who gets them, what recorded rounds give then, and the game on its page.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import {
  budgetMs,
  evenShares,
  gain,
  makeHandouts,
  orderByChance,
  sharesByChance,
  tokensOfPass,
} from "../../../assets/lab/load/budget.js";
import { makeGame } from "../../../assets/lab/load/game.js";
import { payingSentences } from "../../../assets/lab/load/sentences.js";
import { setVocabulary } from "../../../assets/shared/words.js";
import { all, button, click, count, field, fill, one, open, text, texts } from "../dom.js";

const read = (path) => JSON.parse(readFileSync(new URL(`../../../assets/${path}`, import.meta.url), "utf8"));
const recorded = read("lab/load/recorded.json");
const [target, draft] = read("costs/cpu-amd-epyc.json").curves;
const eight = target.batches.indexOf(8);
const CPU = { target: target.ms[eight], draft: draft.ms[eight][0] };
const sum = (some) => some.reduce((total, n) => total + n, 0);

test("evenly gives every text as many positions as the next one, or one more", () => {
  assert.deepEqual(evenShares(0, 3), [0, 0, 0]);
  assert.deepEqual(evenShares(7, 3), [3, 2, 2]);
});

test("a larger budget goes to the likeliest path over all texts, and a block is filled from its beginning", () => {
  const order = orderByChance([
    [0.5, 0.9],
    [0.9, 0.4],
    [0.1, 1],
  ]); // .5, .45; .9, .36; .1, .1
  assert.deepEqual(order, [1, 0, 0, 1, 2, 2]);
  assert.deepEqual(sharesByChance(order, 3, 3), [2, 1, 0]);
});

test("a pass gives the accepted among the checked tokens of each text, and one more", () => {
  assert.equal(tokensOfPass([0, 2, 8], [5, 5, 5]), 1 + 3 + 6);
});

test("a pass over unequal blocks takes as long as one over equal blocks of as many tokens", () => {
  const passes = { target: [10, 14, 16], draft: 1 };
  assert.deepEqual([budgetMs(passes, 0, 0, 4), budgetMs(passes, 2, 4, 4), budgetMs(passes, 1, 6, 4)], [10, 16, 16]);
});

test("the recorded rounds are as many for each text, whole blocks with their chances", () => {
  const { K, texts } = recorded;
  assert.equal(texts.length, 8);
  for (const { q, accepted } of texts) {
    assert.equal(q.length, accepted.length);
    assert.equal(q.length, texts[0].q.length);
    assert.ok(q.every((block) => block.length === K && block.every((one) => one >= 0 && one <= 1)));
    assert.ok(accepted.every((n) => n >= 0 && n <= K));
  }
});

test("by the draft's chances the recorded rounds give more tokens at every budget, and evenly is faster at 16, as the exercise says", () => {
  const { evenly: even, chances } = makeHandouts(recorded).curves(CPU);
  assert.equal(even.length, 65);
  for (let N = 1; N < 60; N++) assert.ok(chances[N].tokens > even[N].tokens, String(N));
  assert.equal(even[64].tokens, chances[64].tokens);
  assert.ok(even[16].pace > chances[16].pace && even[16].pace > even[0].pace && even[64].pace < even[0].pace);
  assert.equal(Math.max(...evenShares(16, 8)), 2);
});

test("a hand-out that takes the draft's steps pays for its longest block, and an empty one for none", () => {
  const two = { target: "t", draft: "d", temperature: 1, K: 2, texts: [{ prompt: "", q: [[1, 1]], accepted: [1] }] };
  const passes = { target: [10, 10, 10], draft: 1 };
  const ms = (n, beyond = 0) => gain(two, passes, () => [n], beyond).ms;
  assert.deepEqual([ms(0), ms(0, 1), ms(1), ms(1, 1), ms(2, 1)], [10, 10, 11, 12, 12]);
});

test("where a budget stops paying is said of each hand-out", () => {
  const words = {
    undrafted: "{pace}",
    stops: "{way} {N} {pace} {from}",
    always: "{way} {N} always",
    never: "{way} never",
  };
  const paying = (evenly, chances) => {
    const gains = (paces) => paces.map((pace) => ({ tokens: 0, ms: 0, pace }));
    const shareNames = { ...words, share_evenly: "E", share_chances: "C" };
    return payingSentences({ evenly: gains(evenly), chances: gains(chances) }, 8, shareNames);
  };
  assert.equal(paying([10, 12, 11, 9], [10, 9, 9, 8]), "10 E 1 12 3 C never");
  assert.equal(paying([10, 9, 11], [10, 11, 12]), "10 E 2 always C 2 always");
});

// ---- on the page ----

/** Each word is its own key, but for these. */
const keysFor = (known) => new Proxy(known, { get: (all, key) => all[String(key)] ?? String(key) });
const WORDS = keysFor({
  spent: "{n} of {N}, pass {pass}",
  brought: "brings {now} of {most}",
  over: "{n} are over {N}",
});
setVocabulary({ words: { none: "–", chart_across: "across", chart_up: "up", chart_range: "range" }, roles: {} });

function openGame(linkSettings = {}) {
  open("<main></main>");
  const changes = [];
  const game = makeGame(
    recorded,
    WORDS,
    linkSettings,
    () => CPU,
    () => 900,
    () => changes.push(game.settings()),
  );
  one("main").append(game.root);
  return { game, changes };
}

const status = () => text("[role=status]");
const counts = () => all(".lab-give span").map((each) => Number(text(each)));
const more = (i) => all("[aria-label=more]")[i];
const less = (i) => all("[aria-label=less]")[i];

test("a position is taken from one text and given to another by buttons, never more than the budget", () => {
  const { changes } = openGame();
  assert.deepEqual(counts(), evenShares(16, 8));
  assert.ok(all("[aria-label=more]").every((each) => each.disabled));
  click(less(0));
  assert.equal(status(), "15 of 16, pass 1");
  click(more(3));
  assert.deepEqual(counts(), [1, 2, 2, 3, 2, 2, 2, 2]);
  assert.ok(more(3).disabled);
  assert.deepEqual(changes.at(-1), { budget: "16", share: "hand", hand: "1-2-2-3-2-2-2-2" });
});

test("what the target accepted is hidden until the pass is verified, and again in the next one", () => {
  openGame();
  const marks = () => all(".lab-place b").map(text).join("");
  const first = recorded.texts.map(({ accepted }) => accepted[0]);
  assert.equal(marks() + count("table"), "0");
  click(button("verify"));
  assert.equal(marks().replaceAll("✗", "").length, sum(first));
  assert.equal(
    status(),
    `16 of 16, pass 1 brings ${tokensOfPass(evenShares(16, 8), first)} of ${8 + sum(first)} share_evenly: ${tokensOfPass(evenShares(16, 8), first)}. ` +
      `share_chances: ${tokensOfPass(makeHandouts(recorded).chances(16)(0), first)}.`,
  );
  assert.deepEqual(texts("tbody th"), ["share_evenly", "share_chances"]);
  click(button("next"));
  assert.equal(status(), "16 of 16, pass 2");
  assert.equal(marks(), "");
  assert.ok(!button("verify").disabled);
});

test("more by hand than the budget is refused in one sentence until some is taken back", () => {
  const { changes } = openGame({ budget: "9", share: "hand", hand: "8-0-0-0-0-0-0-2" });
  assert.equal(status(), "10 are over 9");
  assert.ok(button("verify").disabled);
  click(less(7));
  assert.equal(status(), "9 of 9, pass 1");
  fill(field("budget"), 64);
  assert.equal(status(), "9 of 64, pass 1");
  assert.deepEqual(changes.at(-1), { budget: "64", share: "hand", hand: "8-0-0-0-0-0-0-1" });
});

test("a link asks for what can be handed out, else for what stands there at first", () => {
  const settings = (linkSettings) => openGame(linkSettings).game.settings();
  const first = { budget: "16", share: "evenly" };
  for (const budget of ["65", "-1", "1.5", "", "<b>"]) assert.deepEqual(settings({ budget }), first);
  for (const hand of ["9-0-0-0-0-0-0-0", "1-1", "1-1-1-1-1-1-1-1-1", "a"])
    assert.deepEqual(settings({ share: "hand", hand }), first);
  assert.deepEqual(settings({ budget: "0", share: "chances" }), { budget: "0", share: "chances" });
});

test("without passes over so many texts there are tokens and no times", () => {
  open("<main></main>");
  one("main").append(
    makeGame(
      recorded,
      WORDS,
      {},
      () => null,
      () => 900,
      () => {},
    ).root,
  );
  click(button("verify"));
  assert.deepEqual([count("svg"), text("tbody td:last-child")], [0, "–"]);
  assert.match(text(".lab-budget"), /budget_unmeasured/);
});
