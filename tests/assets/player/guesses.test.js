// A class says whether a token stays before it sees it.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, button, click, count, one, pass, press, settled, text, visible } from "../dom.js";
import { block, lane, races, roundsOf, seek, tokens } from "./page.js";

const page = races(
  {
    plain: { K: 4 },
    greedy: { K: 4, temperature: 0 },
    other: { K: 4, prompt: "Another story" },
    typical: { K: 4, verifier: "typical" },
  },
  { styles: true },
);
const question = () => text(".sv-asked");
const role = () => text(".sv-inspector .sv-role");
const selected = () => one("[aria-pressed=true]", lane());
const game = () => button("Predict");

/** The replay plays to the next question. */
function goOn() {
  click(button("Go on"));
  pass(100, 40);
}

function ask(run = "plain") {
  const picture = page.show(run);
  click(game());
  return roundsOf(picture);
}

test("each token is asked for, then shown, and the score counts what was right", () => {
  const tokens = ask().flatMap(({ drafted }) => drafted.filter(({ verdict }) => verdict !== "unexamined"));
  let [right, row] = [0, 0];
  tokens.slice(0, 5).forEach(({ verdict }, i) => {
    const [accepted, guess] = [verdict === "accepted", i % 2 === 0];
    assert.match(question(), /be accepted\?/);
    assert.equal(role(), "◌ drafted");
    assert.equal(text(".sv-inspector .sv-u-mark"), "u is not drawn yet");
    if (guess) click(one("[data-guess=accept]"));
    else press("r", document.body);
    right += Number(accepted === guess);
    row = accepted === guess ? row + 1 : 0;
    assert.ok(question().includes(accepted === guess ? "Right" : "No:"));
    assert.ok(role().includes(verdict));
    assert.equal(text(".sv-score"), `Points: ${right} of ${i + 1} · in a row: ${row}`);
    goOn();
  });
});

test("a replay that goes on from just before a question shows the token that is asked about", () => {
  const first = ask().find(({ drafted }) => drafted[0].verdict === "accepted" && drafted[1].verdict === "accepted");
  const [now, then] = first.shown.map(({ decided }) => decided);
  seek(now + 0.2 * (then - now));
  assert.match(question(), /be accepted\?/);
  click(one(".sv-play"));
  pass(100, 20);
  assert.equal(selected().dataset.role, "drafted");
  assert.equal(role(), "◌ drafted");
});

test("nothing of a verdict is seen before it is said", () => {
  ask();
  for (let n = 0; n < 3; n++) {
    assert.ok(visible("[data-guess=accept]"));
    const now = selected();
    assert.equal(now.dataset.role, "drafted");
    assert.match(now.getAttribute("aria-label"), /, drafted, /);
    assert.equal(count(".sv-inspector .sv-u-try input"), 0);
    press("a", document.body);
    assert.match(now.getAttribute("aria-label"), /, (accepted|rejected), /);
    assert.ok(now.getAttribute("aria-label").includes(`, ${now.dataset.role}, `));
    goOn();
  }
});

test("a verdict that was seen first is no prediction", () => {
  ask();
  assert.match(question(), /be accepted\?/);
  press("ArrowRight", document.body); // shows it without a word
  press("ArrowLeft", document.body);
  assert.ok(!visible("[data-guess=accept]"));
  press("a", document.body);
  assert.equal(text(".sv-score"), page.words.predict_none);
});

test("where p alone would tell it is hidden too", () => {
  ask("greedy");
  assert.match(question(), /the target's own pick too\?/);
  assert.equal(count(".sv-inspector [data-series=p]"), 0);
  click(one("[data-guess=accept]"));
  assert.notEqual(role(), "◌ drafted");
});

test("the next run waits where verdicts differ, and without the game it shows all", () => {
  ask();
  page.arrive("other");
  assert.match(question(), /be accepted\?/);
  assert.equal(selected().dataset.role, "drafted");
  const own = block(Number(selected().getAttribute("aria-label").split(" ").at(-1)) - 1);
  const ends = new Set(own.map(({ dataset }) => dataset.final));
  assert.ok(ends.has("accepted") && ends.has("rejected"));
  click(game());
  assert.ok(!visible(".sv-predict"));
  press("End", one(".sv-play"));
  assert.ok(all(".sv-token", lane()).length && visible(tokens("accepted")[0]));
});

/** Ten answers, each as the run will say. */
function tenRight(run) {
  const decided = ask(run).flatMap(({ drafted }) => drafted.filter(({ verdict }) => verdict !== "unexamined"));
  decided.slice(0, 10).forEach(({ verdict }, i) => {
    press(verdict === "accepted" ? "a" : "r", document.body);
    if (i < 9) goOn();
  });
  return decided.slice(0, 10);
}

test("ten answers come to points, a streak and what they say of α, and the game goes on", () => {
  const ten = tenRight();
  const accepted = ten.filter(({ verdict }) => verdict === "accepted").length;
  const likelier = ten.filter(({ verdict, ratio }) => ratio >= 0.5 === (verdict === "accepted")).length;
  const learnt = text(".sv-learnt");
  assert.ok(learnt.startsWith("10 of 10 right, 10 in a row."));
  assert.ok(learnt.includes(`accepted ${accepted} of these 10 drafted tokens`));
  assert.match(learnt, /In the whole run α is 0\.\d\d/);
  assert.ok(learnt.includes(`Always the likelier answer: ${likelier} of 10.`));
  goOn();
  assert.ok(one(".sv-learnt").hidden);
  assert.equal(text(".sv-score"), "Points: 10 of 10 · in a row: 10");
});

test("the result is copied, or is there to read where a browser lets no page copy", async () => {
  const ten = tenRight();
  const result = `accepted ${ten.filter(({ verdict }) => verdict === "accepted").length} of the 10 drafted tokens`;
  const copied = [];
  const clipboard = (value) => Object.defineProperty(navigator, "clipboard", { value, configurable: true });
  clipboard({ writeText: async (text) => void copied.push(text) });
  click(button("Share the result"));
  await settled();
  assert.ok(copied[0].includes(result) && question() === page.words.predict_shared);
  clipboard(undefined);
  click(button("Share the result"));
  await settled();
  assert.ok(question().includes(result));
});

for (const [run, says] of Object.entries({ plain: true, greedy: false, typical: false }))
  test(`${run}: that chance decides is said ${says ? "" : "not, since it does not"}`, () => {
    tenRight(run);
    assert.ok(text(".sv-learnt").startsWith("10 of 10 right"));
    assert.equal(text(".sv-learnt").includes("The rest is chance, since u is drawn."), says);
  });
