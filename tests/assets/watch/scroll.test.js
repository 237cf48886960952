import "../dom.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import { el } from "../../../assets/shared/dom.js";

const { scrollToSpan: follow, scrollToStart: followStart } = await import("../../../assets/watch/scroll.js");
const LINE = 10;

/** A span in a row of its lane; in none if it is not drawn. */
const span = (row, at) => ({ at, offsetTop: LINE * (row ?? 0), offsetParent: row === null ? null : document.body });

/** A lane whose text shows three of its lines; `rows` of its spans. */
function laneOf(rows, lines) {
  const text = el("div", { style: `line-height: ${LINE}px` });
  document.body.append(text);
  for (const [name, value] of Object.entries({ scrollHeight: lines * LINE, clientHeight: 3 * LINE }))
    Object.defineProperty(text, name, { value });
  return { text, spans: rows.map(span), places: null, followed: null };
}

test("a lane stays at its last line when its text ends in a token that is not drawn", () => {
  const view = laneOf([0, 3, 7, null], 8);
  follow(view, view.spans[2]);
  const end = view.text.scrollTop;
  assert.equal(end, 6 * LINE);
  follow(view, view.spans[3]);
  assert.equal(view.text.scrollTop, end);
});

test("a text is read from its start: two lines of what was written are in sight, below as much of the prompt as fits", () => {
  for (const [prompt, scrolled] of [
    [0, 0],
    [1, 0],
    [3, 2],
  ]) {
    const view = laneOf([0, prompt, prompt + 1, prompt + 4], prompt + 5);
    follow(view, view.spans[3]);
    followStart({ ...view, byRound: [[view.spans[1]]] });
    assert.equal(view.text.scrollTop, scrolled * LINE);
  }
});
