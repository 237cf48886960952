// A page is sent what draws a chosen token when the first one is chosen.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, count, one, press, settled, text } from "../dom.js";
import { inspection, races, tokens } from "./page.js";

const page = races({ plain: {} });
const inspected = () => text(".sv-inspector .sv-chip-token").replace("␣", "");
const pressed = () => text(".sv-text [aria-pressed=true]");

test("a token that is chosen is explained as soon as what draws it is there", async () => {
  let sent = (/** @type {any} */ _) => {};
  page.show("plain", { explains: () => new Promise((now) => (sent = now)) });
  click(tokens("rejected")[0]);
  assert.equal(count(".sv-sentence") + count(".sv-round"), 0);
  await settled();
  click(tokens("accepted")[1]); // meanwhile
  sent(inspection);
  await settled();
  assert.equal(inspected(), pressed());
  assert.match(text(".sv-sentence"), /is accepted/);
  assert.equal(count(".sv-round"), 1);
  assert.equal(count(".sv-node[aria-selected=true]"), 1);
});

test("what was lost on the way is asked for again by the next token that is chosen, and sent once", async () => {
  let asked = 0;
  const warn = console.warn;
  console.warn = () => {};
  const explains = async () => {
    asked += 1;
    if (asked === 1) throw new Error("offline");
    return inspection;
  };
  page.show("plain", { explains });
  await settled();
  console.warn = warn;
  assert.equal(count(".sv-sentence"), 0);
  for (const token of all(".sv-token[data-role=accepted]").slice(0, 3)) {
    click(token);
    await settled();
    assert.equal(inspected(), pressed());
  }
  assert.equal(asked, 2);
});

test("a closed inspector draws nothing, and is right when it is opened again", () => {
  page.show("plain");
  press("Escape", document.body);
  one(".sv-inspector").replaceChildren();
  press("ArrowLeft", document.body);
  assert.equal(text(".sv-inspector"), "");
  press("p", document.body); // the projector opens it
  assert.equal(inspected(), pressed());
  press("p", document.body);
});
