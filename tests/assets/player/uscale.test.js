// A person tries another u on the scale, and sees what was thrown away behind a rejection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { hypotheticalVerdict, isKeptByLater } from "../../../assets/player/bars.js";
import { limitOf } from "../../../assets/player/clock.js";
import { roomFor } from "../../../assets/player/round.js";
import { all, button, click, fill, focused, one, text } from "../dom.js";
import { drafted, round } from "../picture.js";
import { block, races, roundsOf, tokens } from "./page.js";

const page = races({ plain: {}, "K = 4": { K: 4 }, greedy: { temperature: 0 }, match: { verifier: "match" } });
const handle = () => one("input[aria-label='Try another u']");
const sentence = () => text(".sv-tried");

/** Choose the first drafted token that is so. */
function choose(run, fits) {
  for (const { index, drafted } of roundsOf(page.show(run))) {
    const place = drafted.findIndex(fits);
    if (place < 0) continue;
    click(block(index)[place]);
    return { token: drafted[place], place, drafted };
  }
  throw new Error("there is no such token");
}

test("a smaller u would have kept a rejected token, and nothing is claimed of what follows", () => {
  const { token } = choose("plain", ({ verdict, ratio }) => verdict === "rejected" && ratio > 0.05);
  assert.match(sentence(), /What if u had been another number\?/);
  fill(handle(), "0.01");
  for (const words of ["u = 0.010: the verdict changes", "would be accepted", "never decoded"])
    assert.ok(sentence().includes(words), words);
  fill(handle(), "0.999");
  assert.match(sentence(), /still rejected/);
  click(button("back to the real u"));
  assert.match(sentence(), /What if u had been another number\?/);
  assert.ok(Math.abs(Number(handle().value) - token.u) < 6e-4);
  assert.ok(focused(handle()));
  assert.equal(text(".sv-u-mark"), `u = ${token.u.toFixed(3)}`); // what was drawn stays marked
});

test("a larger u would have lost a lucky token and those behind it", () => {
  const { place } = choose("K = 4", ({ verdict, ratio }, i) => verdict === "accepted" && ratio < 0.95 && i < 2);
  fill(handle(), "0.999");
  for (const words of ["the verdict changes", `the ${3 - place} drafted after it`, "never decoded"])
    assert.ok(sentence().includes(words), words);
});

test("the line between keep and reject is strict", () => {
  const { token } = choose("plain", ({ verdict, ratio }) => verdict === "rejected" && 0.1 < ratio && ratio < 0.9);
  const above = Math.ceil(token.ratio * 1000); // the first step that is not below p/q
  fill(handle(), above / 1000);
  assert.match(sentence(), /still rejected/);
  fill(handle(), (above - 1) / 1000);
  assert.match(sentence(), /would be accepted/);
});

test("greedy, match and unexamined tokens have no handle", () => {
  for (const [run, role] of Object.entries({ plain: "unexamined", greedy: "accepted", match: "rejected" })) {
    page.show(run);
    click(tokens(role)[0]);
    assert.equal(all(".sv-try").length, 0, run);
  }
});

test("what stood behind a rejected token is shown with its p and q", () => {
  const { place, drafted } = choose("K = 4", ({ verdict }, i) => verdict === "rejected" && i < 2);
  const behind = one(`.sv-node[data-at='${place + 2}']`);
  assert.equal(behind.dataset.look, "unexamined");
  assert.ok(text(behind).includes(drafted[place + 1].token.text.trim()));
  assert.match(one(".sv-node-pq", behind).textContent, /^p\u202f(<\.01|\.\d\d|1\.00|1|0) q\u202f(<\.01|\.\d\d|1\.00|1)$/);
});

test("what another u would change has its own sentence, and so has what it would not", () => {
  const [rejected, accepted] = ["rejected", "accepted"].map((verdict) => drafted({ ratio: 0.5, verdict }));
  const sure = drafted({ ratio: 2, verdict: "accepted" });
  for (const [key, ...given] of [
    ["try_kept", 0.2, rejected, 2],
    ["try_same_rejected", 0.9, rejected, 2],
    ["try_same_kept", 0.2, accepted, 2],
    ["try_rejected", 0.9, accepted, 2],
    ["try_rejected_one", 0.9, accepted, 1],
    ["try_rejected_end", 0.9, accepted, 0],
    ["try_rejected_back", 0.9, accepted, 2, 0.5, false, true], // block verification
    ["try_same_sure", 0.9, sure, 2],
  ])
    assert.equal(hypotheticalVerdict(...given).key, key);
});

test("a word stands at its own end of its band, else at the other, else nowhere", () => {
  assert.equal(roomFor(0, 0.5, [0.8], "left"), "left");
  assert.equal(roomFor(0, 0.5, [0.05], "left"), "right");
  assert.equal(roomFor(0.5, 1, [0.95], "right"), "left");
  assert.equal(roomFor(0, 0.1, [], "left"), "none");
  assert.equal(roomFor(0, 0.4, [0.1, 0.3], "left"), "none");
});

test("u is held against p/q, p/q divided by θ of a threshold, or the chance of a block", () => {
  const token = drafted({ ratio: 0.25, chance: 0.75 });
  const limit = (verifier) => limitOf(token, { verifier, theta: 0.5 });
  assert.deepEqual(["rejection", "threshold", "block"].map(limit), [0.25, 0.5, 0.75]);
});

test("in a block that is tested as one, a token that passed keeps all before it, whatever their u", () => {
  const [first, second] = [drafted({ chance: 0.1, u: 0.5, verdict: "accepted" }), drafted({ chance: 0.9, u: 0.5 })];
  const whole = round({ drafted: [first, second] });
  assert.equal(isKeptByLater(first, whole, { verifier: "block", theta: 1 }), true);
  assert.equal(isKeptByLater(second, whole, { verifier: "block", theta: 1 }), false);
  assert.equal(isKeptByLater(first, whole, { verifier: "rejection", theta: 1 }), false);
  assert.deepEqual(hypotheticalVerdict(0.5, first, 1, 0.1, true), {
    accepted: true,
    same: true,
    key: "try_same_later",
  });
});
