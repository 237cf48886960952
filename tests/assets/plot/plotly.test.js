import assert from "node:assert/strict";
import { test } from "node:test";
import { asLabel } from "../../../assets/plot/plotly.js";

test("what Plotly would read as a tag or an entity of its labels is written so that it shows the letters", () => {
  assert.equal(asLabel("<b>&lt;</b> a&b <a href='x'>"), "&lt;b&gt;&amp;lt;&lt;/b&gt; a&amp;b &lt;a href='x'&gt;");
});
