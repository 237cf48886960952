// A person watches a race: both lanes, the clock and its keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, field, focused, frames, one, pass, press, text, tick, visible } from "../dom.js";
import { mapped } from "../mapped.js";
import { at, block, lane, races, roles, seek, speed, tokens } from "./page.js";

const { setRunning, stopUpdate } = await import("../../../assets/player/mount.js");

const page = races(
  { plain: {}, "K = 4": { K: 4 }, other: { seed: 4 }, whole: { length: 96 }, long: { length: 300 } },
  { styles: true, inspects: false },
);
const button = () => text(".sv-play");

test("the replay starts by itself from the prompt and plays to the end", () => {
  page.show("plain", { still: false });
  assert.equal(button(), "Pause");
  assert.ok(roles().includes(""));
  pass(100, 100);
  assert.equal(text(one(".sv-done", lane("vanilla"))), "ended: length limit");
  assert.equal(button(), "Play");
  assert.ok(!roles().includes(""));
});

test("a short run is slowed down, a long one is not, the control says so, and a chosen speed stays for the next runs", () => {
  page.show("whole");
  assert.equal(one(".sv-speed").value, "25");
  assert.match(text(".sv-takes"), /^4\d\d ms shown in 1\d\.\d s$/);
  speed("real time");
  assert.match(text(".sv-takes"), /shown in 0\.4 s$/);
  page.show("long");
  assert.equal(one(".sv-speed").selectedOptions[0].textContent, "real time");
  assert.match(text(".sv-takes"), /^1,?\d\d\d ms shown in 1\.\d s$/);
  speed("1/5");
  page.arrive("whole");
  assert.equal(one(".sv-speed").value, "5");
});

test("the replay shows the same at a time however it got there", () => {
  page.show("plain");
  seek(50);
  const there = roles();
  assert.ok(there.includes("") && there.includes("accepted"));
  for (const span of all(".sv-token", lane())) assert.equal(visible(span), span.dataset.role !== "");
  for (const detour of [0, 90, 30, 70, 50]) seek(detour);
  assert.deepEqual(roles(), there);
});

test("keys play and step, and those typed into the prompt do neither", () => {
  page.show("plain");
  press("Home", document.body);
  assert.equal(at(), 0);
  assert.deepEqual(new Set(roles()), new Set(["prompt", ""]));
  press("ArrowRight", document.body);
  const first = at();
  assert.match(text(one(".sv-counter", lane())), /target passes 1/);
  press("ArrowRight", document.body);
  assert.ok(at() > first);
  press("ArrowLeft", document.body);
  assert.equal(at(), first);
  press("End", document.body);
  assert.ok(!roles().includes(""));
  for (const word of ["Pause", "Play"]) {
    press(" ", document.body);
    assert.equal(button(), word);
  }
  const end = at();
  for (const key of ["Home", " "]) press(key, one("#prompt textarea"));
  assert.deepEqual([at(), button()], [end, "Play"]);
});

test("where nothing was drafted each pass counts with its token", () => {
  page.show("plain");
  for (let ms = 0; ms <= Number(one(".sv-scrub").max); ms += 1) {
    seek(ms);
    const [, counted, passes] = /tokens (\d+) · target passes (\d+)/.exec(text(one(".sv-counter", lane("vanilla"))));
    assert.equal(counted, passes, `at ${ms} ms`);
  }
});

const status = (detail) => document.dispatchEvent(new CustomEvent("specviz:status", { detail }));
const live = (spans) => document.dispatchEvent(new CustomEvent("specviz:live", { detail: { vanilla: { from: 0, spans } } }));

/** Run, as the page has it, is pressed. */
function pressRun(prompt = "A new prompt") {
  one("#prompt textarea").value = prompt;
  const run = document.createElement("button");
  run.id = "run";
  document.body.append(run);
  click(run);
}

test("Run and Stop take turns, and hand on the focus that one of them has, and no other", () => {
  page.show("plain");
  for (const id of ["run", "stop"]) document.body.append(Object.assign(document.createElement("button"), { id }));
  const [run, stop] = [one("#run"), one("#stop")];
  /** @param {boolean} isRunning what becomes of it, as gradio is told it and on the page */
  const turn = (isRunning) => {
    mapped(setRunning(isRunning), ({ interactive }) => interactive, [!isRunning, isRunning]);
    assert.deepEqual([run.disabled, stop.disabled], [isRunning, !isRunning]);
    assert.equal(stopUpdate().interactive, isRunning);
    return document.activeElement;
  };
  run.focus();
  assert.deepEqual([turn(true), turn(false)], [stop, run]);
  stop.disabled = false; // a file is read
  stop.focus();
  assert.ok(stopUpdate(true).interactive && focused(stop));
  assert.ok(!stopUpdate().interactive && focused(run));
  one("#prompt textarea").focus();
  assert.deepEqual([turn(true), turn(false)], [one("#prompt textarea"), one("#prompt textarea")]);
});

test("where a link took the place of a run, nobody is told to press Run while that of the link is under way", () => {
  page.show("plain");
  page.arrive("none");
  assert.equal(text(".sv-invitation"), page.words.empty);
  status("running");
  assert.equal(text(".sv-invitation"), page.words.under_way);
  status("error");
  assert.equal(text(".sv-invitation"), page.words.empty);
  pressRun();
  assert.equal(all(".sv-invitation").length, 0);
  status("error");
  assert.equal(text(".sv-invitation"), page.words.empty);
});

test("Run ends a replay and empties both lanes at once but for the prompt, and what is decoded fills them", () => {
  page.show("plain", { still: false });
  pressRun("Two foxes\nmeet");
  pass(1);
  assert.deepEqual([all(".sv-play").length, frames.size], [0, 0]);
  for (const name of ["vanilla", "speculative"]) {
    assert.equal(all(".sv-token", lane(name)).length, 1);
    assert.equal(tokens("prompt", name)[0].textContent, "Two foxes\nmeet");
  }
  assert.ok(!visible("#timeline"));
  const spans = [
    ["prompt", "\n"],
    ["plain", " in"],
  ];
  live(spans);
  assert.equal(one(".sv-text", lane("vanilla")).innerHTML.split("<br>").length, 2);
  assert.equal(tokens("plain", "vanilla")[0].textContent, "in");
  page.arrive("other");
  assert.ok(visible("#timeline"));
});

test("of a run that fails or never begins, the one before comes back as it stood, rests, and says what it is", () => {
  for (const [i, reason] of ["error", "never", "closing"].entries()) {
    page.show("plain", { still: false });
    seek(50);
    const before = roles();
    pressRun();
    live([["plain", " in"]]);
    status(reason);
    assert.deepEqual(roles(), before, reason);
    assert.ok(visible(".sv-earlier"), String(i));
    assert.equal(button(), "Play");
    page.arrive("other");
    assert.ok(!visible(".sv-earlier"));
  }
});

test("what is refused beside a run takes nothing of it away, and a replay that a failed one leaves there rests", () => {
  page.show("plain", { still: false });
  status("refused"); // a file that was dropped, a link, nothing to save
  assert.deepEqual([visible(".sv-earlier"), button()], [false, "Pause"]);
  status("error");
  assert.deepEqual([visible(".sv-earlier"), button()], [true, "Play"]);
  pressRun();
  status("running");
  status("refused");
  assert.ok(one("[data-live]"));
});

test("Tab and Shift in a list of gradio are kept from gradio, and no list takes the focus", () => {
  page.show("plain");
  document.body.insertAdjacentHTML("beforeend", '<p><input role="combobox"></p><ul id="l" role="listbox"></ul>');
  const keys = [];
  one("p:has([role=combobox])").addEventListener("keydown", ({ key }) => keys.push(key));
  for (const key of ["ArrowDown", "Shift", "Tab"]) press(key, one("[role=combobox]"));
  assert.deepEqual(keys, ["ArrowDown"]);
  assert.equal(one("#l").tabIndex, -1);
});

test("at the end the text is read: struck guesses are gone, unless somebody wants them, now and at the next visit", () => {
  const { lanes } = page.show("plain");
  for (const role of ["rejected", "unexamined"]) assert.ok(!visible(tokens(role)[0]));
  const visibleTokens = all(".sv-token", lane()).filter(visible);
  const emittedTokens = lanes.speculative.rounds.flatMap(({ emitted }) => emitted.map(({ token }) => token));
  const prompt = lanes.speculative.prompt.length;
  assert.deepEqual(
    visibleTokens.slice(prompt).map((span) => span.dataset.role),
    visibleTokens.slice(prompt).map((span) => span.dataset.final),
  );
  assert.equal(visibleTokens.length, prompt + emittedTokens.length);
  click(tokens("corrected")[0]);
  for (let i = 0; i < 6; i++) press("ArrowLeft");
  assert.ok(visible(one("[aria-pressed=true]", lane())));
  seek(at() - 1e-3); // while it plays they are seen, and struck
  assert.ok(visible(tokens("rejected")[0]));
  press("End", document.body);
  tick(field("show struck guesses"));
  assert.ok(visible(tokens("rejected")[0]));
  page.arrive("other");
  assert.ok(visible(tokens("rejected")[0]));
  tick(field("show struck guesses"), false);
  assert.ok(!visible(tokens("rejected")[0]));
  assert.equal(localStorage.getItem("specviz.struck"), null);
});

test("the four signs of a verdict stand on one line, all others are folded", () => {
  page.show("plain");
  assert.deepEqual(all(".sv-legend > ul li").map(text), ["✓ accepted", "✗ rejected", "↻ correction", "+ bonus"]);
  assert.match(text(".sv-legend details"), /prompt/);
});

test("a token with the focus marks its round", () => {
  const { lanes } = page.show("K = 4");
  block(2)[0].focus();
  assert.equal(all(".sv-text [data-linked]").length, lanes.speculative.rounds[2].shown.length);
  one("#prompt textarea").focus();
  assert.equal(all(".sv-text [data-linked]").length, 0);
});

test("what a live run tells is text and no markup", () => {
  page.mount();
  const spans = [
    ["plain", " <img src=x onerror=alert(1)>"],
    ["plain", "\n"],
  ];
  live(spans);
  assert.equal(text(tokens("plain", "vanilla")[0]), "<img src=x onerror=alert(1)>");
  assert.equal(all("#race img").length, 0);
});
