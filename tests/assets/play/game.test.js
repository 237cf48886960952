// The game in which one person is the draft, on a DOM in node; a server of a few lines scores it: a word without a z is kept.

import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";
import { all, button, click, count, field, fill, focused, one, text, texts } from "../dom.js";
import "../page.js";
import { mapped } from "../mapped.js";

const { makeGame } = await import("../../../assets/play/game.js");
const { setVocabulary } = await import("../../../assets/player/words.js");

const role = (word) => ({ glyph: word[0], word });
const ROLES = ["drafted", "accepted", "rejected", "unexamined", "corrected", "bonus"];
setVocabulary({ words: {}, roles: Object.fromEntries(ROLES.map((name) => [name, role(name)])) });

const keys =
  "title target place ask field check looks kept kept_last struck part chances yours next score sum result why again lab lost";
const words = {
  ...Object.fromEntries(keys.split(" ").map((key) => [key, key])),
  texts: ["One", "Two", "Three", "Four", "Five", "Six"],
  place: "{n} of {of}",
  score: "{own} : {small}",
  result: "{own} and {small} of {of}",
};
const token = (text) => ({ id: text.length, text, partial: false });

/** what was asked for */
let requests = [];
/** instead of a round */
let refused = null;
const server = {
  begin: async (sent) => JSON.stringify({ tokens: [token("|"), token(sent.prompt)] }),
  async score(request) {
    requests.push(request);
    if (refused) return refused.answer;
    const accepted = !request.words.includes("z");
    const entries = [
      { token: token(" other!"), p: 0.6, q: 0 },
      { token: token(request.words), p: 0.3, q: 1 },
    ];
    const counts = { drafted: 1, tested: 1, accepted: Number(accepted), beta: 0 };
    const drafted = {
      token: token(request.words),
      verdict: accepted ? "accepted" : "rejected",
      place: { entries, rest: { p: 0.1, q: 0 }, beta: 0.3 },
    };
    const last = { token: token(" more"), role: accepted ? "bonus" : "corrected", chance: 1 };
    return JSON.stringify({
      drafted: [drafted],
      emitted: [...(accepted ? [{ token: drafted.token, role: "accepted", chance: 1 }] : []), last],
      people: counts,
      others: request.others.map((key) => ({ key, name: key, ...counts, accepted: 1 })),
      ended: null,
      greedy: request.temperature === 0,
    });
  },
};
const answered = () => new Promise((done) => setTimeout(done, 5));

async function guess(word) {
  fill(field("field"), word);
  one("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await answered();
}

beforeEach(() => {
  [requests, refused] = [[], null];
  const game = makeGame(words, server);
  document.body.replaceChildren(game.root);
  game.focus();
});

test("a word is scored at temperature 0 beside the small model, and its bars are p at temperature 1", async () => {
  await guess("sky");
  assert.deepEqual(
    requests.map(({ words, text, temperature, others }) => [words, text, temperature, others]),
    [
      [" sky", [1, 3], 0, ["small"]],
      [" sky", [1, 3], 1, []],
    ],
  );
  mapped(all(".sv-token"), (each) => each.dataset.role, ["accepted", "bonus"]);
  assert.equal(text(".sv-game-told"), "kept");
  assert.deepEqual(texts(".sv-bar-row"), ["other!60.0 %", "sky (yours)30.0 %"]);
  assert.ok(focused(button("next")));
});

test("three sentences come to a result, and three others begin anew", async () => {
  for (const [i, word] of ["sky", "zoo", "sun"].entries()) {
    assert.equal(text(".sv-game-place"), `${i + 1} of 3`);
    await guess(word);
    click(button(i === 2 ? "sum" : "next"));
  }
  assert.equal(text(".sv-game-told"), "2 and 3 of 3");
  assert.ok(one("form").hidden && focused(button("again")));
  click(button("again"));
  assert.equal(text(".sv-game-text"), "Four");
  assert.equal(text(".sv-game-score"), "0 : 0");
  assert.ok(focused(field("field")));
});

test("an empty guess is none, and while one is looked at no other is sent", async () => {
  await guess("  ");
  assert.equal(requests.length, 0);
  fill(field("field"), "sky");
  for (let i = 0; i < 2; i++) one("form").dispatchEvent(new Event("submit", { cancelable: true }));
  await answered();
  assert.equal(requests.length, 2);
});

for (const [why, answer, message] of [
  ["does not come", undefined, "lost"],
  ["is a refusal", '{"error": "too long"}', "too long"],
]) {
  test(`an answer that ${why} is said, and the word stays to be sent again`, async () => {
    refused = { answer };
    await guess("sky");
    assert.equal(text(".sv-game-told"), message);
    assert.equal(field("field").value, "sky");
    assert.equal(count(".sv-game-chances *"), 0);
    refused = null;
    await guess("sky");
    assert.equal(text(".sv-game-told"), "kept");
  });
}
