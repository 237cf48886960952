import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/shared/dom.js";

const { follow } = await import("../../../assets/watch/scroll.js");
const LINE = 10;

/** A span in a row of its lane; in none if it is not drawn. @param {number | null} row @param {number} at */
const span = (row, at) => ({ at, offsetTop: LINE * (row ?? 0), offsetParent: row === null ? null : document.body });

test("a lane stays at its last line when its text ends in a token that is not drawn", () => {
  const text = el("div", { style: `line-height: ${LINE}px` });
  document.body.append(text);
  for (const [name, value] of Object.entries({ scrollHeight: 8 * LINE, clientHeight: 3 * LINE }))
    Object.defineProperty(text, name, { value });
  const spans = [0, 3, 7, null].map(span);
  const view = /** @type {any} */ ({ text, spans, places: null, followed: null });
  follow(view, view.spans[2]);
  const end = text.scrollTop;
  assert.equal(end, 6 * LINE);
  follow(view, view.spans[3]);
  assert.equal(text.scrollTop, end);
});
