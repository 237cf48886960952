// A person tries another u on the scale, and sees what was thrown away behind a rejection.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, button, click, fill, focused, one, text } from "../dom.js";
import { block, races, roundsOf, tokens } from "./page.js";

const page = races({ plain: {}, "K = 4": { K: 4 }, greedy: { temperature: 0 }, match: { verifier: "match" } });
const handle = () => one("input[aria-label='Try another u']");
const said = () => text(".sv-tried");

/** Choose the first drafted token that is so. @param {string} run @param {(token: any, place: number) => boolean} fits */
function choose(run, fits) {
  for (const { index, drafted } of roundsOf(page.show(run))) {
    const place = drafted.findIndex(fits);
    if (place < 0) continue;
    click(block(index)[place]);
    return { token: drafted[place], place, drafted };
  }
  throw new Error("there is no such token");
}

const rejected = ({ verdict, ratio }) => verdict === "rejected" && ratio > 0.05;

test("a smaller u would have kept a rejected token, and nothing is claimed of what follows", () => {
  const { token } = choose("plain", rejected);
  assert.match(said(), /What if u had been another number\?/);
  fill(handle(), "0.01");
  for (const words of ["u = 0.010: the verdict changes", "would be accepted", "never decoded"])
    assert.ok(said().includes(words), words);
  fill(handle(), "0.999");
  assert.match(said(), /still rejected/);
  click(button("back to the real u"));
  assert.match(said(), /What if u had been another number\?/);
  assert.ok(Math.abs(Number(handle().value) - token.u) < 6e-4);
  assert.ok(focused(handle()));
  assert.equal(text(".sv-u-mark"), `u = ${token.u.toFixed(3)}`); // what was drawn stays marked
});

test("a larger u would have lost a lucky token and those behind it", () => {
  const { place } = choose("K = 4", ({ verdict, ratio }, i) => verdict === "accepted" && ratio < 0.95 && i < 2);
  fill(handle(), "0.999");
  for (const words of ["the verdict changes", `the ${3 - place} drafted after it`, "never decoded"])
    assert.ok(said().includes(words), words);
});

test("the line between keep and reject is strict", () => {
  const { token } = choose("plain", ({ verdict, ratio }) => verdict === "rejected" && 0.1 < ratio && ratio < 0.9);
  const above = Math.ceil(token.ratio * 1000); // the first step that is not below p/q
  fill(handle(), above / 1000);
  assert.match(said(), /still rejected/);
  fill(handle(), (above - 1) / 1000);
  assert.match(said(), /would be accepted/);
});

test("greedy, match and unexamined tokens have no handle", () => {
  for (const [run, role] of [
    ["plain", "unexamined"],
    ["greedy", "accepted"],
    ["match", "rejected"],
  ]) {
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
  assert.match(
    one(".sv-node-pq", behind).textContent,
    /^p\u202f(<\.01|\.\d\d|1\.00|1|0) q\u202f(<\.01|\.\d\d|1\.00|1)$/,
  );
});
