// The status line: what a run does.

import assert from "node:assert/strict";
import { test } from "node:test";
import { one, open, pass, text } from "../dom.js";

const { playExample, status } = await import("../../../assets/player/mount.js");
const words = {
  running: "{lane}: {tokens} of {of}.",
  lane_vanilla: "vanilla",
  lost: "The run is lost.",
  waiting: "",
  asked: "It asks.",
  finished: "Finished.",
  disconnected: "No connection.",
};

/** The line on a page that is loaded; what the server then says. */
function load(lost, first = { state: "linked", message: "A recorded run." }) {
  open('<div id="status"><div class="sv-status"></div></div><button id="run"></button>');
  const props = { words, value: JSON.stringify(first) };
  const listeners = [];
  status({ element: one("#status"), props, watch: (_, act) => listeners.push(act), lost });
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

test("a server is asked by its name for the run in which the page was loaded again; until it answers the page says so", (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  sessionStorage.clear();
  const asked = [];
  load((run) => asked.push(run))({ state: "waiting", run: "its name" });
  for (const _ of [1, 2]) {
    const say = load((run) => asked.push(run)); // also where it is loaded once more before the answer
    assert.equal(say({ state: "linked", message: "Settings are as you left them." }), "It asks.");
  }
  assert.equal(load((run) => asked.push(run))({ state: "finished" }), "Finished.");
  assert.deepEqual(asked, ["its name", "its name", "its name"]);
  load((run) => asked.push(run));
  assert.equal(asked.length, 3);
});

test("a run of which nothing is heard says that the connection is lost, if the server does not answer either", async (t) => {
  t.mock.timers.enable({ apis: ["setTimeout"] });
  t.after(() => delete globalThis.fetch);
  sessionStorage.clear();
  const say = load(() => {});
  for (const [answer, told] of [
    [async () => {}, "vanilla: 2 of 9."],
    [() => Promise.reject(new TypeError("no network")), "No connection."],
  ]) {
    globalThis.fetch = answer;
    say(RUNNING);
    t.mock.timers.tick(5000);
    await new Promise((done) => setImmediate(done));
    assert.equal(text(".sv-status"), told);
  }
  say({ state: "idle" });
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
