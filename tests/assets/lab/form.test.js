import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/shared/dom.js";

const { foldFields } = await import("../../../assets/lab/form.js");
const wide = globalThis.matchMedia;
/** @param {Record<string, string>} asked */
const fold = (asked) => foldFields([el("label", null, "Prompt")], asked);

test("fields are folded on a phone, unless a link filled them in, and never on a wide screen", () => {
  assert.ok(fold({}).open);
  globalThis.matchMedia = /** @type {any} */ ((/** @type {string} */ query) => ({ matches: query.includes("width") }));
  try {
    assert.ok(!fold({}).open);
    assert.ok(fold({ seeds: "12" }).open);
  } finally {
    globalThis.matchMedia = wide;
  }
});
