import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { shares } from "../../../assets/shared/positions.js";
import { setVocabulary } from "../../../assets/shared/words.js";
import { leaders, matrixRows } from "../../../assets/watch/inspector.js";

setVocabulary({
  words: {
    rule_rejection: "p/q",
    rule_match: "match",
    rule_argmax: "argmax",
    and: " and ",
    matrix_one: "{most} leads",
    matrix_tie: "{most} tie",
    matrix_same: "all equal",
  },
  roles: {},
});

const chances = { rejection: 0.7, match: 0.35, argmax: 0.4 };

test("of the rules at a position the one that ran is marked, and none where it has no chance there", () => {
  const marked = (ran) => matrixRows(chances, ran).filter((row) => row.ran);
  assert.deepEqual(marked("match"), [{ rule: "match", chance: 0.35, ran: true }]);
  assert.deepEqual(marked("block"), []);
});

test("the rule that accepts most is named, and all that are equal to it", () => {
  const most = (...means) => {
    const [rejection, match, argmax] = means;
    return leaders({ rejection, match, argmax });
  };
  assert.equal(most(0.7, 0.35, 0.4), "p/q leads");
  assert.equal(most(0.5, 0.39, 0.9), "argmax leads");
  assert.equal(most(0.6, 0.4, 0.6), "p/q and argmax tie");
  assert.equal(most(0.600001, 0.4, 0.6), "p/q and argmax tie"); // what is sent is rounded
  assert.equal(most(0.6001, 0.4, 0.6), "p/q leads");
  assert.equal(most(0.8, 0.8, 0.8), "all equal"); // as where a draft copies: q is one-hot
});

test("a position that no block reached has no share of those that did", () => {
  const at = { position: 3, drafted: 4, reached: 0, accepted: 0, given_reached: null, of_blocks: 0 };
  assert.equal(shares(at)[0], "–");
  assert.equal(shares({ ...at, reached: 2, accepted: 1, given_reached: 0.5, of_blocks: 0.25 })[1], "25.0 %");
});
