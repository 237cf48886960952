import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/player/dom.js";
import { entropiesAt, hardnessNote, levelOf, userTokens } from "../../../assets/player/lane.js";

const HEAD = ["<|im_start|>", "system", "\n", "Say", " user", "<|im_end|>", "\n", "<|im_start|>", "user", "\n"];
const TAIL = ["<|im_end|>", "\n", "<|im_start|>", "assistant", "\n"];

const tokens = (...texts) =>
  texts.map((text, id) => ({ id, text, shown: text, partial: false, kind: /^⟨/.test(text) ? "bytes" : "text" }));
const userRange = (prompt, ...own) => userTokens(tokens(...HEAD, ...own, ...TAIL), { prompt, chat: true });

test("what a chat template wrote before and after what somebody said is told apart, though the words are the same", () => {
  assert.deepEqual(userRange("What's new?", "What", "'s", " new", "?"), [10, 14]);
  assert.deepEqual(userRange("  What's new?\n", "What", "'s", " new", "?"), [10, 14]);
  for (const word of ["user", "assistant", "system", "Say user"]) assert.deepEqual(userRange(word, word), [10, 11]);
});

test("a character that is cut into bytes is found by the token that completes it", () => {
  assert.deepEqual(userRange("hi 🦊", "hi", " ", "⟨F0 9F⟩", "⟨A6⟩", "🦊"), [10, 15]);
});

test("without a template nothing is folded but a control token at the beginning, unless it is all of the prompt", () => {
  const prompt = tokens("Once", " upon");
  assert.deepEqual(userTokens(prompt, { prompt: "Once upon", chat: false }), [0, 2]);
  assert.deepEqual(userTokens(prompt, { prompt: "Once upon" }), [0, 2]);
  assert.deepEqual(userTokens(prompt, { prompt: "Never", chat: true }), [0, 2]);
  const said = { prompt: "Once upon", chat: false };
  assert.deepEqual(userTokens(tokens("<|endoftext|>", "Once", " upon"), said), [1, 3]);
  assert.deepEqual(userTokens(tokens("<|endoftext|>"), { prompt: "", chat: false }), [0, 1]);
});

const at = (p_entropy) => ({ p_entropy, q_entropy: 1 - p_entropy });

test("a token is as hard as p was wide where it stands, also the one that took the place of a rejected guess", () => {
  const round = {
    drafted: [
      { verdict: "accepted", position: at(0.2) },
      { verdict: "rejected", position: at(1.5) },
      { verdict: "unexamined", position: null },
    ],
    emitted: [{ position: null }, { position: null }],
  };
  const prompt = [
    { drafted: 0, emitted: 0, role: "accepted" },
    { drafted: 1, emitted: null, role: "rejected" },
    { drafted: 2, emitted: null, role: "unexamined" },
    { drafted: null, emitted: 1, role: "corrected" },
  ];
  assert.deepEqual(
    prompt.map((one) => entropiesAt(round, one)),
    [
      { p: 0.2, q: 0.8 },
      { p: 1.5, q: -0.5 },
      { p: null, q: null },
      { p: 1.5, q: -0.5 },
    ],
  );
});

test("there are five levels, and each begins where its number says", () => {
  assert.deepEqual([0, 0.09, 0.1, 0.5, 0.99, 1, 2, 9].map(levelOf), [0, 0, 1, 2, 2, 3, 4, 4]);
});

test("at temperature 0 the shade is the entropy of the logits, and where that was not recorded there is none", () => {
  const run = (greedy, logits_entropy) => ({
    header: { config: { greedy } },
    lanes: { vanilla: null, speculative: { rounds: [{ drafted: [], emitted: [{ position: { logits_entropy } }] }] } },
  });
  assert.deepEqual([run(false, null), run(true, 0.4), run(true, null)].map(hardnessNote), [
    "hard_note",
    "hard_logits",
    "hard_greedy",
  ]);
  const position = { p_entropy: 0, q_entropy: 0, logits_entropy: 0.4 };
  const round = { drafted: [], emitted: [{ position }] };
  assert.equal(entropiesAt(round, { drafted: null, emitted: 0, role: "plain" }).p, 0.4);
});

const { scrollToSpan: follow, scrollToStart: followStart } = await import("../../../assets/player/lane.js");
const LINE = 10;

/** A span in a row of its lane; in none if it is not drawn. */
const span = (row, at) => ({ at, offsetTop: LINE * (row ?? 0), offsetParent: row === null ? null : document.body });

/** A lane whose text shows three of its lines; `rows` of its spans. */
function laneOf(rows, lines) {
  const text = el("div", { style: `line-height: ${LINE}px` });
  document.body.append(text);
  for (const [name, value] of Object.entries({ scrollHeight: lines * LINE, clientHeight: 3 * LINE }))
    Object.defineProperty(text, name, { value });
  return { text, spans: rows.map(span), places: null, followed: null };
}

test("a lane stays at its last line when its text ends in a token that is not drawn", () => {
  const view = laneOf([0, 3, 7, null], 8);
  follow(view, view.spans[2]);
  const end = view.text.scrollTop;
  assert.equal(end, 6 * LINE);
  follow(view, view.spans[3]);
  assert.equal(view.text.scrollTop, end);
});

test("a text is read from its start: two lines of what was written are in sight, below as much of the prompt as fits", () => {
  for (const [prompt, scrolled] of [
    [0, 0],
    [1, 0],
    [3, 2],
  ]) {
    const view = laneOf([0, prompt, prompt + 1, prompt + 4], prompt + 5);
    follow(view, view.spans[3]);
    followStart({ ...view, byRound: [[view.spans[1]]] });
    assert.equal(view.text.scrollTop, scrolled * LINE);
  }
});
