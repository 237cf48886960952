// What rounds come to: α of each who drafts is the mean of β over what was examined, and the text goes on by what was emitted.

import assert from "node:assert/strict";
import test from "node:test";
import { add, addRounds, player, standings, table, whyEnded } from "../../../../assets/lab/classroom/state.js";

const WORDS = { class: "The class", players: ["A", "B"] };
const token = (id, text) => ({ id, text, partial: false });
const played = (beta, others = []) => ({
  drafted: [{ token: token(4, "=SUM"), q: 1, p: 0.25, u: 0.5, verdict: "rejected", place: null }],
  emitted: [{ token: token(5, " the"), role: "corrected", chance: 0.4 }],
  people: { drafted: 1, tested: 1, accepted: 0, beta },
  others,
  ended: null,
  greedy: false,
});
const state = (who = "alone") => ({
  who,
  temperature: 0.8,
  seed: 0,
  prompt: "Once",
  text: [],
  turns: [],
  room: null,
  busy: false,
});

test("two play by turns, a class alone", () => {
  const two = state("turns");
  assert.equal(player(two, WORDS), "A");
  add(two, played(0.25), "A");
  assert.equal(player(two, WORDS), "B");
  assert.equal(player(state(), WORDS), "The class");
  assert.deepEqual(two.text, [{ token: token(5, " the"), role: "corrected" }]);
});

test("α is the mean of β over what was examined; people stand first, then the best drafter", () => {
  const one = state();
  const small = (beta) => ({ key: "small", name: "Small model", drafted: 2, tested: 2, accepted: 1, beta });
  const lookup = { key: "lookup", name: "Prompt lookup", drafted: 0, tested: 0, accepted: 0, beta: 0 };
  const large = { key: "large", name: "Large model", drafted: 1, tested: 1, accepted: 1, beta: 0.9 };
  add(one, played(0.25, [lookup, small(1.0), large]), "The class");
  add(one, played(0.75, [lookup, small(1.5), large]), "The class");
  const found = standings(one.turns).map(({ name, tested, alpha }) => [name, tested, alpha]);
  assert.deepEqual(found, [
    ["The class", 2, 0.5],
    ["Large model", 2, 0.9],
    ["Small model", 4, 0.625],
    ["Prompt lookup", 0, null],
  ]);
});

test("a drafter that is called like a player is counted apart", () => {
  const one = state();
  add(one, played(0.5, [{ key: "x", name: "The class", drafted: 1, tested: 1, accepted: 1, beta: 1 }]), "The class");
  assert.equal(standings(one.turns).length, 2);
});

test("the table has every token with its verdict, and a line a round for each who drafted", () => {
  const one = state();
  add(one, played(0.25, [{ key: "s", name: "Small", drafted: 1, tested: 1, accepted: 1, beta: 1 }]), "The class");
  const names = ["round", "draft", "token", "verdict", "p", "q", "u", "drafted", "examined", "kept", "sum"];
  const rows = table(one, names);
  assert.equal(rows.length, 5);
  assert.ok(rows.every((row) => row.length === names.length));
  assert.deepEqual(rows[1].slice(0, 7), [1, "The class", "=SUM", "rejected", 0.25, 1, 0.5]);
  assert.deepEqual(rows[4].slice(1), ["Small", null, null, null, null, null, 1, 1, 1, 1]);
});

test("rounds of a room come once and in their order, however often they are told", () => {
  const one = state("room");
  const rounds = [1, 2, 3].map((round) => ({ ...played(0.25), round }));
  assert.equal(addRounds(one, rounds.slice(0, 2), "The class"), true);
  assert.equal(addRounds(one, [rounds[1]], "The class"), false);
  assert.equal(addRounds(one, [{ ...rounds[2], round: 4 }], "The class"), false); // one between is missing yet
  assert.equal(addRounds(one, rounds, "The class"), true);
  assert.deepEqual(
    one.turns.map(({ round }) => round),
    [1, 2, 3],
  );
  assert.equal(one.text.length, 3);
});

test("a text is over when its last round says so", () => {
  const one = state();
  assert.equal(whyEnded(one), null);
  add(one, { ...played(1), ended: "eos" }, "The class");
  assert.equal(whyEnded(one), "eos");
});
