// The dots of Luck, where their rows' names stand above them: on a phone.

import "../dom.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { setVocabulary } from "../../../assets/shared/words.js";

setVocabulary({ words: { chart_across: "", chart_up: "", chart_range: "" }, roles: {} });
const { drawDots } = await import("../../../assets/lab/luck/dots.js");

const WIDTH = 358; // of a phone's page
const words = { row_setting: "name", row_again: "name", dot: "", speedup: "", tokens_a_round: "", alpha: "" };

test("on a phone the name of a row covers none of its dots", () => {
  const { found } = JSON.parse(
    readFileSync(new URL("../../../assets/lab/luck/recorded.json", import.meta.url), "utf8"),
  );
  const root = drawDots(found, words, WIDTH);
  const numbers = (/** @type {string} */ tag, /** @type {string} */ name) =>
    [...root.querySelectorAll(tag)].map((node) => Number(node.getAttribute(name)));
  const names = [...root.querySelectorAll("text")].filter(({ textContent }) => textContent === "name");
  assert.equal(names.length, 6);
  const radius = numbers("circle", "r")[0];
  for (const name of names) {
    const baseline = Number(name.getAttribute("y"));
    const below = numbers("circle", "cy").filter((cy) => cy > baseline);
    assert.ok(Math.min(...below) - radius >= baseline + 4, "its letters hang 4 px below their line");
  }
});
