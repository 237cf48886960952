// A person chooses a token and reads how it was decided.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, focused, one, press, text, texts } from "../dom.js";
import { at, BROKEN, lane, races, roundsOf, seek, tokens } from "./page.js";

const page = races({
  plain: {},
  ends: { prompt: "inside a block it ends" },
  greedy: { temperature: 0 },
  "greedy seed 4": { temperature: 0, seed: 4 },
  match: { verifier: "match" },
  argmax: { drafting: "argmax", adaptive: true, temperature: 1 },
  set: { verifier: "match", seed: 7, temperature: 0.6, length: 40, top_k: 30, top_p: 0.9 },
  "greedy seed 7": { seed: 7, temperature: 0 },
  rounded: { edge: "rounded apart" },
  reticent: { edge: "reticent" },
  masked: { recorded: "answer-json" },
});
const box = () => one(".sv-inspector");
const sentence = () => text(one(".sv-sentence", box()));

function choose(run, role, n = 0, name = "speculative") {
  const picture = page.show(run);
  click(tokens(role, name).at(n));
  return picture;
}

test("where p and q differ by rounding alone a token is not said to have been lucky", () => {
  choose("rounded", "accepted");
  assert.match(sentence(), /so every u accepts it/);
});

test("a rejected token shows p, q, u and the residual with what was drawn", () => {
  const rounds = roundsOf(choose("plain", "rejected"));
  const round = rounds.find(({ drafted }) => drafted.some(({ verdict }) => verdict === "rejected"));
  const token = round.drafted.find(({ verdict }) => verdict === "rejected");
  assert.match(sentence(), /is rejected/);
  assert.ok(sentence().includes(`u = ${token.u.toFixed(3)}`));
  assert.equal(text(one(".sv-u-mark", box())), `u = ${token.u.toFixed(3)}`);
  assert.ok(text(box()).includes(`β = Σ min(p, q) = ${token.position.beta.toFixed(3)}`));
  for (const series of ["p", "q", "shared"]) one(`.sv-fill[data-series=${series}]`, box());
  assert.equal(text(one(".sv-landed", box())), "↻ drawn");
  const marked = one(".sv-landed", box()).closest(".sv-bar-row");
  assert.ok(marked.hasAttribute("data-marked"));
  assert.ok(text(marked).includes(round.emitted.at(-1).token.text.trim()));
});

test("a void draft is said to be forbidden by the grammar, has a sign of its own, and shows no u", () => {
  choose("masked", "rejected");
  const forbidden = tokens("rejected").find((span) => span.dataset.void);
  click(forbidden);
  assert.match(sentence(), /is void: the grammar forbids it here/);
  assert.match(text(one(".sv-role", box())), /⊘ void/);
  assert.match(forbidden.getAttribute("aria-label"), /, void, round/);
  assert.equal(count(".sv-u", box()), 0);
  assert.match(text(box()), /p is shown after the mask of the grammar/);
  assert.match(text(".sv-numbers"), /The grammar makes \d+ of \d+ drafted tokens void/);
  assert.match(text(".sv-legend"), /⊘ void/);
});

test("a token that the grammar forces says so, and one of another run does not", () => {
  const picture = choose("masked", "corrected");
  const places = picture.lanes.speculative.rounds.flatMap(({ shown, emitted }) =>
    shown.map((one) => emitted[one.emitted]),
  );
  click(
    all(".sv-text .sv-token", lane()).filter((span) => span.picked.round !== undefined)[
      places.findIndex((e) => e?.forced)
    ],
  );
  assert.match(sentence(), /The grammar allows no other token here/);
  choose("plain", "corrected");
  assert.doesNotMatch(sentence(), /grammar/);
  assert.equal(count("[data-void]"), 0);
});

test("a token after a rejection is said to be thrown away", () => {
  choose("plain", "unexamined");
  for (const said of ["never examined", "for a text with the rejected token in it", "p(x)"])
    assert.ok(text(box()).includes(said), said);
  assert.equal(count(".sv-u", box()), 0);
});

test("a draft token left when the run ended is said to have come too late", () => {
  choose("ends", "unexamined", -1);
  assert.match(text(box()), /the run ended on a token before it/);
});

test("a bonus token shows p alone and its draw", () => {
  choose("plain", "bonus");
  assert.match(text(box()), /is free/);
  assert.equal(count(".sv-fill[data-series=q]", box()), 0);
  one(".sv-fill[data-series=p]", box());
});

test("a greedy token says that no uniform is drawn", () => {
  choose("greedy", "accepted");
  assert.match(text(box()), /one-hot and no u is drawn/);
  assert.equal(count(".sv-u", box()), 0);
});

test("the match verifier has sentences of its own, and β is not said to be the chance to stay", () => {
  choose("match", "rejected");
  assert.match(text(box()), /drew its own token/);
  assert.match(text(one(".sv-beta", box())), /is the chance under the rejection rule. Under match/);
  assert.doesNotMatch(text(box()), /chance to stay/);
  assert.match(text(".sv-numbers"), /α is what the rejection rule would have accepted/);
  tokens("accepted")[0].click();
  assert.match(text(box()), /it was the same/);
});

test("tokens are buttons with names and one tab stop a lane", () => {
  page.show("plain");
  const [token] = tokens("rejected");
  assert.equal(token.getAttribute("role"), "button");
  assert.match(token.getAttribute("aria-label"), /rejected, round/);
  for (const name of ["vanilla", "speculative"]) {
    assert.equal(count(".sv-token[tabindex='0']", lane(name)), 1);
    assert.equal(count(".sv-token:not([tabindex])", lane(name)), 0);
  }
});

test("a token that the replay hides hands its focus to one that is shown", () => {
  choose("plain", "corrected", -1);
  seek(30);
  for (const name of ["vanilla", "speculative"])
    assert.notEqual(one(".sv-token[tabindex='0']", lane(name)).dataset.role, "");
  assert.ok(focused(one(".sv-token[tabindex='0']", lane())));
});

test("Enter chooses a token, and arrows choose its neighbours", () => {
  page.show("plain");
  const [token] = tokens("corrected");
  token.focus();
  press("Enter");
  assert.equal(token.getAttribute("aria-pressed"), "true");
  assert.match(text(box()), /replaces the rejected/);
  press("ArrowLeft");
  assert.equal(token.getAttribute("aria-pressed"), "false");
  assert.equal(count(".sv-text [aria-pressed=true]"), 1);
  assert.ok(focused(one(".sv-text [aria-pressed=true]")));
  assert.equal(text(".sv-play"), "Play");
});

test("the keys do what the hint says, with and without a token", () => {
  choose("plain", "rejected");
  assert.deepEqual(texts(".sv-keys > span"), [page.words.keys, page.words.keys_token]);
  const end = at();
  press("ArrowRight");
  assert.equal(at(), end);
  press("Escape");
  assert.ok(focused(one(".sv-play")));
  press("ArrowLeft");
  assert.ok(at() < end);
  click(tokens("accepted")[0]);
  press(" "); // as a button's: it is chosen, and the replay stands
  assert.equal(text(".sv-play"), "Play");
  press("Escape");
  press(" ");
  assert.equal(text(".sv-play"), "Pause");
});

test("where the argmax is drafted its softmax stands beside q, and which one decides is said", () => {
  choose("argmax", "accepted");
  const marked = one(".sv-bars:not(.sv-matrix) > [data-marked]", box());
  const [p, q, s] = texts(".sv-value", marked);
  assert.equal(q, "1");
  assert.ok(0 < Number(s) && Number(s) < 1);
  assert.equal(count(".sv-fill[data-series=q]", box()), 0); // 1 or 0: no bar of it would say more
  one(".sv-fill[data-series=s]", marked);
  assert.match(text(one(".sv-own", box())), /q is used: 1 for/);
  assert.ok(text(one(".sv-beta", box())).includes(`= ${p} = p(x)`));
  const choice = "which promises most: 1.50×. Of the tokens tested lately about 75.0 % were accepted";
  assert.ok(text(one(".sv-choice", box())).includes(choice));
});

test("a pick at temperature 0 is not said to be drawn from a residual", () => {
  choose("greedy seed 4", "corrected");
  assert.match(text(box()), /the target's own pick/);
  assert.doesNotMatch(text(box()), /esidual/);
  assert.equal(count(".sv-landed", box()), 0);
});

test("a plain token says how its own u drew it", () => {
  choose("plain", "plain", 3, "vanilla");
  assert.match(text(box()), /in the order of the vocabulary/);
});

test("the numbers carry the settings they were measured with", () => {
  page.show("set");
  const wanted =
    "drafter story-draft · K = 3 · temperature 0.6 · top-p 0.9 · top-k 30 · seed 7 · at most 40 tokens · match verifier";
  assert.ok(text(".sv-settings-line").includes(wanted));
  page.arrive("greedy seed 7");
  assert.ok(text(".sv-settings-line").includes("K = 3 · temperature 0 · seed 7"));
});

test("of another engine's run the page names what is not recorded and guesses nothing", () => {
  page.show("reticent");
  const [who, ...rest] = texts(".sv-engine");
  assert.match(who, /Decoded by vLLM 0.32.0, not by specviz\./);
  assert.match(rest.at(-1) ?? who, /Not recorded by vLLM: p of drafted tokens, q of drafted tokens/);
  for (const [role, said] of [
    ["accepted", "The u that decided is not recorded by vLLM."],
    ["rejected", "p and q were not recorded at this position."],
    ["bonus", "What drew it is not recorded by vLLM."],
    ["plain", "by the pass over the prompt. What drew it is not recorded by vLLM."],
  ]) {
    tokens(role)[0].click();
    assert.ok(text(box()).includes(said), said);
    assert.doesNotMatch(text(box()), BROKEN);
  }
  assert.match(text(box()), /Sizes of caches are not recorded by vLLM\./);
  assert.match(text(".sv-numbers"), /no c, no v and nothing to predict/);
  assert.doesNotMatch(text(".sv-numbers"), BROKEN);
});
