// What rounds come to: α of each who drafts is the mean of β over what was examined, and the text goes on by what was emitted.

import assert from "node:assert/strict";
import test from "node:test";
import { addRound, scoresOf } from "../../../../assets/lab/classroom/state.js";

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

test("α is the mean of β over what was examined; people stand first, then the best drafter", () => {
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
});

test("a drafter that is called like a player is counted apart", () => {
  const one = state();
  addRound(
    one,
    round(0.5, [{ key: "x", name: "The class", drafted: 1, tested: 1, accepted: 1, beta: 1 }]),
    "The class",
  );
  assert.equal(scoresOf(one.turns).length, 2);
});
