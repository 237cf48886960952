// A person chooses a token and reads how it was decided, as soon as what draws it was sent.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, focused, one, press, settled, text, texts } from "../dom.js";
import { at, BROKEN, inspection, lane, races, roundsOf, seek, tokens } from "./page.js";

// once there is a page
const { describeToken } = await import("../../../assets/player/inspector.js");

const page = races({
  plain: {},
  ends: { prompt: "inside a block it ends" },
  greedy: { temperature: 0 },
  "greedy seed 4": { temperature: 0, seed: 4 },
  match: { verifier: "match" },
  argmax: { edge: "adaptive" }, // a saved run of which each K was chosen
  set: { verifier: "match", seed: 7, temperature: 0.6, length: 40, top_k: 30, top_p: 0.9 },
  "greedy seed 7": { seed: 7, temperature: 0 },
  rounded: { edge: "rounded apart" },
  siblings: { edge: "siblings" }, // a saved run by a rule that decides none any more
  reticent: { edge: "reticent" },
  masked: { recorded: "answer-json" },
  capital: { recorded: "answer-capital" },
});
const box = () => one(".sv-inspector");
const sentence = () => text(one(".sv-sentence", box()));

function choose(run, role, n = 0, name = "speculative") {
  const picture = page.show(run);
  click(tokens(role, name).at(n));
  return picture;
}

for (const [what, [run, role, n, lane], says, selectors] of [
  ["where p and q differ by rounding alone no token is lucky", ["rounded", "accepted"], [/so every u accepts it/]],
  [
    "a token after a rejection is thrown away",
    ["plain", "unexamined"],
    [/never examined/, /for a text with the rejected token in it/, /p\(x\)/],
    [".sv-u"],
  ],
  ["a draft token left when the run ended came too late", ["ends", "unexamined", -1], [/the run ended on a token before it/]],
  ["a bonus token has p alone", ["plain", "bonus"], [/is a bonus/], [".sv-fill[data-series=q]"]],
  ["a greedy token draws no uniform", ["greedy", "accepted"], [/one-hot and no u is drawn/], [".sv-u"]],
  ["a pick at temperature 0 has no residual", ["greedy seed 4", "corrected"], [/the target's own pick/], [".sv-landed"]],
  ["a plain token was drawn by its own u", ["plain", "plain", 3, "vanilla"], [/in the order of the vocabulary/]],
]) {
  test(`the inspector says why: ${what}`, () => {
    choose(run, role, n, lane);
    for (const words of says) assert.match(text(box()), words);
    for (const selector of selectors ?? []) assert.equal(count(selector, box()), 0, selector);
    if (role === "bonus") one(".sv-fill[data-series=p]", box());
    if (role === "corrected") assert.doesNotMatch(text(box()), /esidual/);
  });
}

test("of a saved run by siblings a rejected token says that the next is tested against the same p", () => {
  const picture = page.show("siblings");
  const ref = { lane: "speculative", round: 0, drafted: 0, emitted: null };
  const { sentences } = describeToken(picture, ref, "out");
  assert.deepEqual(sentences, ["rejected_siblings", "next_sibling_siblings"]);
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
  const places = picture.lanes.speculative.rounds.flatMap(({ shown, emitted }) => shown.map((one) => emitted[one.emitted]));
  click(all(".sv-text .sv-token", lane()).filter((span) => span.ref.round !== undefined)[places.findIndex((e) => e?.forced)]);
  assert.match(sentence(), /The grammar allows no other token here/);
  choose("plain", "corrected");
  assert.doesNotMatch(sentence(), /grammar/);
  assert.equal(count("[data-void]"), 0);
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
  for (const name of ["vanilla", "speculative"]) assert.notEqual(one(".sv-token[tabindex='0']", lane(name)).dataset.role, "");
  assert.ok(focused(one(".sv-token[tabindex='0']", lane())));
});

test("Enter chooses a token, and arrows choose its neighbours", () => {
  page.show("plain");
  const [token] = tokens("corrected");
  token.focus();
  press("Enter");
  assert.equal(token.getAttribute("aria-pressed"), "true");
  assert.match(text(box()), /correction of the rejected/);
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

test("Escape on a token or in a picture closes the inspector as on the player, and leaves the projector", () => {
  choose("plain", "rejected");
  const [token] = tokens("rejected");
  const is = (state) => one("#race").hasAttribute(`data-${state}`);
  press("Escape", token);
  assert.deepEqual([is("inspecting"), focused(one(".sv-play"))], [false, true]);
  click(token);
  press("p", token);
  press("Escape", token);
  assert.deepEqual([is("projector"), is("inspecting")], [false, true]);
  one(".sv-round [role=treeitem][tabindex='0']").focus();
  press("Escape");
  assert.ok(focused(one(".sv-play")));
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

test("the numbers carry the settings they were measured with", () => {
  page.show("set");
  const wanted =
    "drafter story-draft · K = 3 · temperature 0.6 · top-p 0.9 · top-k 30 · seed 7 · at most 40 tokens · match verifier";
  assert.ok(text(".sv-settings-line").includes(wanted));
  page.arrive("greedy seed 7");
  assert.ok(text(".sv-settings-line").includes("K = 3 · temperature 0 · seed 7"));
});

test("a setting that is not as it was is said, but for those of another rule or tree", () => {
  const changed = { stop: [-1, "x"], verifier: "block", drafting: "argmax", tree: "static", grammar: "a+" };
  const elsewhere = ["epsilon", "delta", "theta", "children", "nodes"];
  const line = (change) => {
    page.arrive("plain", (sent) => {
      const run = JSON.parse(sent);
      const [shape, ...values] = run.body.header[2];
      run.body.header[2] = [shape, ...change(values, run.shapes[shape])];
      return JSON.stringify(run);
    });
    return text(".sv-settings-line");
  };
  const next = (value, name) => changed[name] ?? (typeof value === "boolean" ? !value : value + 0.25);
  page.show("plain");
  let names = [];
  const usual = line((values, fields) => {
    names = fields;
    return values;
  });
  const unsaid = names.filter(
    (name) => usual === line((all) => all.map((value, i) => (names[i] === name ? next(value, name) : value))),
  );
  assert.deepEqual(unsaid, elsewhere);
});

test("of another engine's run the page names what is not recorded and guesses nothing", () => {
  page.show("reticent");
  const [who, ...rest] = texts(".sv-engine");
  assert.match(who, /Decoded by vLLM 0.32.0, not by specviz\./);
  assert.match(rest.at(-1) ?? who, /Not recorded by vLLM: p of drafted tokens, q of drafted tokens/);
  for (const [role, words] of [
    ["accepted", "The u that decided is not recorded by vLLM."],
    ["rejected", "p and q were not recorded at this position."],
    ["bonus", "What drew it is not recorded by vLLM."],
    ["plain", "by the pass over the prompt. What drew it is not recorded by vLLM."],
  ]) {
    tokens(role)[0].click();
    assert.ok(text(box()).includes(words), words);
    assert.doesNotMatch(text(box()), BROKEN);
  }
  assert.match(text(box()), /Sizes of caches are not recorded by vLLM\./);
  assert.match(text(".sv-numbers"), /no c, no v and nothing to predict/);
  assert.doesNotMatch(text(".sv-numbers"), BROKEN);
});

const inspected = () => text(".sv-inspector .sv-chip-token").replace("␣", "");
const pressed = () => text(".sv-text [aria-pressed=true]");

test("a token that is chosen is explained as soon as what draws it is there", async () => {
  let send = (_) => {};
  page.show("plain", { explains: () => new Promise((now) => (send = now)) });
  click(tokens("rejected")[0]);
  assert.equal(count(".sv-sentence") + count(".sv-round"), 0);
  await settled();
  click(tokens("accepted")[1]); // meanwhile
  send(inspection);
  await settled();
  assert.equal(inspected(), pressed());
  assert.match(text(".sv-sentence"), /is accepted/);
  assert.equal(count(".sv-round"), 1);
  assert.equal(count(".sv-node[aria-selected=true]"), 1);
});

test("what was lost on the way is asked for again by the next token that is chosen, and sent once", async () => {
  let requests = 0;
  const warn = console.warn;
  console.warn = () => {};
  const explains = async () => {
    requests += 1;
    if (requests === 1) throw new Error("offline");
    return inspection;
  };
  page.show("plain", { explains });
  await settled();
  console.warn = warn;
  assert.equal(count(".sv-sentence"), 0);
  for (const token of all(".sv-token[data-role=accepted]").slice(0, 3)) {
    click(token);
    await settled();
    assert.equal(inspected(), pressed());
  }
  assert.equal(requests, 2);
});

test("a closed inspector draws nothing, and is right when it is opened again", () => {
  page.show("plain");
  press("Escape", document.body);
  one(".sv-inspector").replaceChildren();
  press("ArrowLeft", document.body);
  assert.equal(text(".sv-inspector"), "");
  press("p", document.body); // the projector opens it
  assert.equal(inspected(), pressed());
  press("p", document.body);
});

test("at temperature 0 the inspector shows what both models found likely before it, where the run has that", () => {
  const rejected = roundsOf(choose("capital", "rejected")).flatMap(({ drafted }) => drafted);
  const marks = () => texts(".sv-value strong", box()).filter(Boolean).sort();
  assert.deepEqual(marks(), ["p = 1", "q = 1"]);
  assert.match(text(one(".sv-beta", box())), /gives all of p to its largest, .+, and all of q to its largest, /);
  assert.ok(all(".sv-value", box()).some((value) => /^0\.[1-9]/.test(text(value))));
  click(tokens("accepted")[0]);
  assert.deepEqual(marks(), ["p = 1, q = 1"]);
  click(tokens("bonus")[0]);
  assert.deepEqual([...marks(), count(".sv-fill[data-series=q]", box())], ["p = 1", 0]);
  for (const { position } of rejected) if (position) position.softmax = null; // an older run
  click(tokens("rejected")[0]);
  assert.match(text(".sv-before"), /found about \d+\.\d tokens likely here \(entropy \d\.\d\d nats\)/);
  assert.deepEqual(marks(), []);
});
