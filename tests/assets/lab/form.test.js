import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/shared/dom.js";

const { foldFields } = await import("../../../assets/lab/form.js");
const wide = globalThis.matchMedia;
const fold = (linkSettings) => foldFields([el("label", null, "Prompt")], linkSettings);

test("fields are folded on a phone, unless a link filled them in, and never on a wide screen", () => {
  assert.ok(fold({}).open);
  globalThis.matchMedia = (query) => ({ matches: query.includes("width") });
  try {
    assert.ok(!fold({}).open);
    assert.ok(fold({ seeds: "12" }).open);
  } finally {
    globalThis.matchMedia = wide;
  }
});
