// The status line: what a run does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { one, open, pass, text } from "./dom.js";

const { playExample, status } = await import("../../assets/status.js");
const words = { running: "{lane}: {tokens} of {of}.", lane_vanilla: "vanilla", lost: "The run is lost." };

/** The line on a page that is loaded; what the server then says. */
function load(first = { state: "linked", message: "A recorded run." }) {
  open('<div id="status"><div class="sv-status"></div></div><button id="run"></button>');
  const props = { words, value: JSON.stringify(first) };
  const listeners = [];
  status({ element: one("#status"), props, watch: (_, act) => listeners.push(act) });
  return (value) => {
    props.value = JSON.stringify(value);
    for (const act of listeners) act();
    return text(".sv-status");
  };
}

const RUNNING = { state: "running", lane: "vanilla", tokens: 2, of: 9 };

test("a page that is loaded again during a run says that the run is lost, until another one is under way", () => {
  sessionStorage.clear();
  assert.equal(load()(RUNNING), "vanilla: 2 of 9.");
  const say = load();
  assert.equal(text(".sv-status"), "The run is lost.");
  assert.equal(say({ state: "linked", message: "Settings are as you left them." }), "The run is lost.");
  assert.equal(say(RUNNING), "vanilla: 2 of 9.");
  assert.equal(say({ state: "idle" }), "");
  load();
  assert.equal(text(".sv-status"), "A recorded run.");
});

test("the example that is pressed plays, also while its list is not yet that of the models that were just chosen", () => {
  open('<div id="examples-menu"><button class="gallery-item"> A dog </button></div><button id="run"></button>');
  const examples = { "A dog": { text: "Once", runs: { fable: "opening" } } };
  const runs = [];
  one("#run").addEventListener("click", () => runs.push("run"));
  assert.deepEqual(playExample(examples, 0, "fable"), [{ __type__: "update" }, "opening"]);
  assert.deepEqual(playExample(examples, 0, "assistant"), ["Once", ""]);
  pass(20, 2);
  assert.deepEqual(runs, ["run"]);
});
