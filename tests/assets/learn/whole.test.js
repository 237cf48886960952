import assert from "node:assert/strict";
import { test } from "node:test";
import { chanceOf, texts } from "../../../assets/shared/language.js";

test("with replacements from p every text of chapter 8 is affected, by more than rounding", () => {
  const [right, wrong] = [texts(3, 2), texts(3, 2, true)];
  assert.equal(right.length, 27);
  for (const [i, text] of right.entries()) assert.ok(Math.abs(chanceOf(wrong[i]) - text.alone) > 1e-4, text.text);
});
