import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { el } from "../../../assets/player/dom.js";
import { record } from "../../../assets/player/mount.js";
import { setVocabulary } from "../../../assets/player/words.js";
import { byNumbers, decisionOf, flagText, nextMeasurement } from "../../../assets/record/panel.js";
import * as script from "../../../assets/record/place.js";
import { all, click, fill, one, text } from "../dom.js";

// A person types five numbers of an engine, or pastes them as one line: they go to the server as a file does.
const KEYS = ["steps", "drafted", "accepted", "K", "counts_positions", "counts_line", "counts_title", "counts_is"];
const FIVE = { steps: 400, drafted: 1200, accepted: 720, K: 3, accepted_by_position: [300, 240, 180] };

setVocabulary({
  words: Object.fromEntries([...KEYS, "counts_bad", "counts_show", "close"].map((key) => [`record_${key}`, key])),
  roles: {},
});
globalThis.specvizRecord = script;
globalThis.DataTransfer = class {
  files = [];
  items = { add: (file) => this.files.push(file) };
};

/** The page with its upload, and what went in there. */
function page() {
  const sent = [];
  const input = el("input", { type: "file" });
  Object.defineProperty(input, "files", { set: ([file]) => sent.push(file) });
  const element = el("div", { id: "record" });
  document.body.replaceChildren(el("div", null, el("button", { id: "open" }), input), el("button", { id: "counts" }), element);
  const props = { value: "" };
  record({ element, props, watch: () => {}, server: { everything: async () => '{"words": {}, "script": ""}' } });
  return { sent, props, element };
}

const opened = async () => {
  click(one("#counts"));
  await new Promise((done) => setTimeout(done));
  return all(".sv-record input");
};
const submit = () => one(".sv-record form").dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
const json = async ([file]) => JSON.parse(await file.text());

test("five typed numbers go in as a file, and what is left out is null", async () => {
  const { sent } = page();
  const [steps, drafted, accepted, K, positions] = await opened();
  fill(steps, "400");
  fill(drafted, "1200");
  fill(accepted, " 720 ");
  fill(K, "3");
  submit();
  assert.deepEqual(await json(sent), { ...FIVE, accepted_by_position: null });
  fill(positions, "[300, 240; 180]");
  submit();
  assert.deepEqual(await json(sent.slice(1)), FIVE);
  fill(K, "");
  fill(steps, "12345678901234567890");
  fill(drafted, "many");
  submit();
  const { steps: long, drafted: word, K: none } = await json(sent.slice(2));
  assert.deepEqual([long, word, none], ["12345678901234567890", "many", null]); // the server says what is wrong with them
});

test("one line of JSON fills the fields, and what is none is said", async () => {
  const { sent } = page();
  const [steps, , , K, positions, line] = await opened();
  fill(line, "[400]");
  assert.equal(text(one(".sv-record [role=alert]")), "counts_bad");
  fill(line, JSON.stringify(FIVE));
  assert.equal(text(one(".sv-record [role=alert]")), "");
  assert.deepEqual([steps.value, K.value, positions.value], ["400", "3", "300, 240, 180"]);
  submit();
  assert.deepEqual(await json(sent), FIVE);
});

test("the form goes by its button and when something is run, and stays where its numbers are refused", async () => {
  page();
  const state = (detail) => document.dispatchEvent(new CustomEvent("specviz:status", { detail }));
  await opened();
  submit();
  state("refused");
  assert.equal(all(".sv-record form").length, 1);
  state("waiting");
  assert.equal(all(".sv-record").length, 0);
  await opened();
  click(one(".sv-record-head button"));
  assert.equal(all(".sv-record").length, 0);
});

const read = (path) => readFileSync(new URL(path, import.meta.url), "utf8");

function holds(value, wanted) {
  if (typeof wanted === "number")
    assert.ok(Math.abs(value - wanted) <= 1e-9 * Math.max(1, Math.abs(wanted)), `${value} is not ${wanted}`);
  else if (typeof wanted === "object" && wanted) for (const key of Object.keys(wanted)) holds(value[key], wanted[key]);
  else assert.equal(value, wanted);
}

test("the page decides as specviz/picture/record.py does", () => {
  const cases = JSON.parse(read("decided.json"));
  assert.equal(cases.length, 16);
  assert.deepEqual(new Set(cases.map((each) => each.widest)), new Set(["K", "acceptance", "costs"]));
  for (const { evidence, costs, decided, widest: what, flags } of cases) {
    holds(decisionOf(evidence, costs), decided);
    assert.equal(nextMeasurement(evidence, costs), what);
    for (const [known, text] of Object.values(flags)) assert.equal(flagText(known, decided.best), text);
  }
});

test("two numbers are a line through 1 and v, and v from the first draft on", () => {
  const [line, flat] = byNumbers(4, 0.1, 1.4).map(({ v }) => v.slice(0, 6).map((cost) => Number(cost.toFixed(9))));
  assert.deepEqual(line, [1, 1.1, 1.2, 1.3, 1.4, 1.5]);
  assert.deepEqual(flat, [1, 1.4, 1.4, 1.4, 1.4, 1.4]);
});
