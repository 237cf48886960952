import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { acceptedCount } from "../../../assets/learn/draft/picture.js";

const guess = (verdict, p_entropy) => ({
  verdict,
  position: p_entropy === undefined ? null : { p_entropy, q_entropy: 0 },
});
const rounds = [
  { drafted: [guess("accepted", 0.05), guess("rejected", 1.4), guess("unexamined")] },
  { drafted: [guess("rejected", 0.09), guess("unexamined")] },
  { drafted: [guess("accepted", 2.5), guess("accepted", 0.3)] },
];

test("of guesses those count that were tested, at places as easy or as hard as is asked", () => {
  assert.deepEqual(
    acceptedCount(rounds, (level) => level === 0),
    { accepted: "1", of: "2" },
  );
  assert.deepEqual(
    acceptedCount(rounds, (level) => level >= 3),
    { accepted: "1", of: "2" },
  );
});
