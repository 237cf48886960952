import assert from "node:assert/strict";
import { test } from "node:test";
import { revealStage } from "../../../assets/watch/known.js";
import { twoRounds } from "../picture.js";

/** @typedef {import("../../../assets/shared/types.js").Picture} Picture */

/** @param {boolean} greedy @returns {Picture} */
const picture = (greedy) =>
  /** @type {any} */ ({ header: { config: { greedy } }, lanes: { speculative: twoRounds(), vanilla: null } });
/** @param {number | null} drafted @param {number | null} emitted */
const token = (drafted, emitted) => ({ lane: /** @type {const} */ ("speculative"), round: 0, drafted, emitted });

test("of a rejected token q is known once it is drafted, p after the pass, the verdict when it falls, then its round", () => {
  const at = [0, 6, 29, 30, 31, 32, 33].map((t) => revealStage(picture(false), token(1, null), t));
  assert.deepEqual(at, ["", "drafted", "drafted", "checked", "checked", "decided", "out"]);
});

test("what follows a block is there when its round is decided, the prompt always", () => {
  assert.deepEqual(
    [32, 33].map((t) => revealStage(picture(false), token(null, 1), t)),
    ["", "out"],
  );
  assert.equal(revealStage(picture(false), { lane: "speculative", prompt: 0, drafted: null, emitted: null }, 0), "out");
  assert.equal(revealStage(picture(false), null, 0), "");
});

test("a greedy p would tell the verdict: while it is asked for, it is not yet known", () => {
  const at = (/** @type {boolean} */ greedy) => revealStage(picture(greedy), token(1, null), 31, true);
  assert.deepEqual([at(true), at(false)], ["drafted", "checked"]);
  assert.equal(revealStage(picture(true), token(1, null), 32, true), "decided");
});
