// A person watches a race: both lanes, the clock and its keys.

import assert from "node:assert/strict";
import { test } from "node:test";
import { all, click, field, one, pass, press, text, tick, visible } from "../dom.js";
import { at, block, lane, races, roles, seek, speed, tokens } from "./page.js";

const page = races(
  {
    plain: {},
    "K = 4": { K: 4 },
    set: { seed: 4, length: 40 },
    short: { length: 40 },
    long: { length: 300 },
    "no drafts": { K: 0 },
  },
  { styles: true, inspects: false },
);
const button = () => text(".sv-play");

test("the replay starts by itself from the prompt and plays to the end", () => {
  page.show("short", { still: false });
  assert.equal(button(), "Pause");
  assert.ok(roles().includes(""));
  pass(100, 100);
  assert.equal(text(one(".sv-done", lane("vanilla"))), "ended: length limit");
  assert.equal(button(), "Play");
  assert.ok(!roles().includes(""));
});

test("no motion means that the end is shown at once", () => {
  page.show("plain");
  assert.equal(button(), "Play");
  assert.ok(!roles().includes(""));
});

test("a short run is slowed down, one of more than a second is not, and the control says so", () => {
  page.show("plain");
  assert.equal(one(".sv-speed").value, "25");
  assert.match(text(".sv-takes"), /^4\d\d ms shown in 1\d\.\d s$/);
  speed("real time");
  assert.match(text(".sv-takes"), /shown in 0\.4 s$/);
  page.show("long");
  assert.equal(one(".sv-speed").selectedOptions[0].textContent, "real time");
  assert.match(text(".sv-takes"), /^1,?\d\d\d ms shown in 1\.\d s$/);
});

test("a speed stays chosen for the runs that follow", () => {
  page.show("K = 4");
  speed("1/5");
  page.arrive("plain");
  assert.equal(one(".sv-speed").value, "5");
});

test("draft tokens are ghosts until the round is decided", () => {
  page.show("K = 4");
  const spans = all(".sv-token:not([data-role=prompt])", lane()).slice(0, 5);
  const now = () => spans.map(({ dataset }) => dataset.role);
  seek(0.9); // the first round drafts for about 1.7 ms: two of its four tokens are there
  assert.deepEqual(now(), ["drafted", "drafted", "", "", ""]);
  assert.ok(visible(spans[0]) && !visible(spans[3]));
  seek(3); // the target is still checking
  assert.deepEqual(now(), ["drafted", "drafted", "drafted", "drafted", ""]);
  seek(7);
  assert.ok(!now().includes("drafted"));
});

test("the replay shows the same at a time however it got there", () => {
  page.show("plain");
  seek(100);
  const there = roles();
  assert.ok(there.includes("") && there.includes("accepted"));
  for (const detour of [0, 400, 30, 250, 100]) seek(detour);
  assert.deepEqual(roles(), there);
});

test("keys play and step", () => {
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
});

test("keys typed into the prompt do not move the replay", () => {
  page.show("plain");
  one("#prompt textarea").focus();
  press("Home");
  press(" ");
  assert.ok(!roles().includes(""));
  assert.equal(button(), "Play");
});

test("what was rejected can be hidden, and the plain text is left", () => {
  const { lanes } = page.show("plain");
  const hide = field("hide what was rejected");
  tick(hide);
  for (const role of ["rejected", "unexamined"]) assert.ok(!visible(tokens(role)[0]));
  const shown = all(".sv-token", lane()).filter(visible);
  const written = lanes.speculative.rounds.flatMap(({ emitted }) => emitted.map(({ token }) => token));
  const prompt = lanes.speculative.prompt.length;
  assert.deepEqual(
    shown.slice(prompt).map((span) => span.dataset.role),
    shown.slice(prompt).map((span) => span.dataset.final),
  );
  assert.equal(shown.length, prompt + written.length);
  click(tokens("corrected")[0]);
  for (let i = 0; i < 6; i++) press("ArrowLeft");
  assert.ok(visible(one("[aria-pressed=true]", lane())));
  tick(hide, false);
  assert.ok(visible(tokens("rejected")[0]));
});

test("where nothing is drafted the lane says so, and nothing can be asked for", () => {
  page.show("no drafts");
  assert.deepEqual(new Set(roles()), new Set(["prompt", "plain"]));
  assert.match(text(lane()), /nothing is drafted/);
  assert.equal(all("input[data-switch=ask]").length, 0);
});

test("a token with the focus marks its round", () => {
  const { lanes } = page.show("K = 4");
  block(2)[0].focus();
  assert.equal(all(".sv-text [data-linked]").length, lanes.speculative.rounds[2].shown.length);
  one("#prompt textarea").focus();
  assert.equal(all(".sv-text [data-linked]").length, 0);
});

test("of an earlier run that a failed one leaves there it is said so, and it rests", () => {
  page.show("short", { still: false });
  assert.ok(!visible(".sv-earlier"));
  document.dispatchEvent(new CustomEvent("specviz:status", { detail: "error" }));
  assert.ok(visible(".sv-earlier"));
  assert.equal(button(), "Play");
  page.arrive("plain");
  assert.ok(!visible(".sv-earlier"));
});

test("what a live run tells is text and no markup", () => {
  page.mount();
  const spans = [
    ["plain", " <img src=x onerror=alert(1)>"],
    ["plain", "\n"],
  ];
  document.dispatchEvent(new CustomEvent("specviz:live", { detail: { vanilla: { from: 0, spans } } }));
  assert.equal(text(tokens("plain", "vanilla")[0]), "<img src=x onerror=alert(1)>");
  assert.equal(all("#race img").length, 0);
});
