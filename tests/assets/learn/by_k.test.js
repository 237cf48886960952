// Acceptance by position at each K: what a beat shows of it, and the figures of its sentences.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, button as named, one, text, texts } from "../dom.js";
import { button, chapter, EXCERPTS, PLACE, time, told } from "./page.js";

const { rows } = EXCERPTS.speed.by_k;
const percent = (/** @type {number} */ share) => `${(100 * share).toFixed(1)} %`;
const dots = () => all(".lrn-by-k svg").map((plot) => all("circle", plot).length);

test("one K is shown before the question is answered, then first positions, then all, then where rounds start", async () => {
  await chapter(PLACE.speed);
  click(button("By K"));
  const steps = 4;
  for (let i = 0; i < steps; i++) click(button("Step back"));
  assert.match(told(), /Decide before you go on/);
  assert.deepEqual(dots(), [1, 0, 0, 0, 0, 0, 0, 0]);
  click(button("Step on"));
  assert.deepEqual(dots(), [1, 1, 1, 1, 1, 1, 1, 1]);
  assert.ok(told().includes(percent(rows[0].accepted[0])) && told().includes(percent(rows[7].accepted[0])));
  click(button("Step on"));
  assert.deepEqual(dots(), [1, 2, 3, 4, 5, 6, 7, 8]);
  click(button("Step on"));
  assert.ok(text(".lrn-by-k").includes(`${percent(rows[7].after)} after a rejection`));
  click(button("Step on"));
  assert.ok(told().includes(percent(rows[0].after)) && told().includes(percent(rows[7].after)));
});
