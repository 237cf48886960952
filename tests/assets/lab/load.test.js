import "../page.js";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { zero } from "../../../assets/lab/load/told.js";
import { check, promise } from "../../../assets/lab/pair/arithmetic.js";
import { bestOf, byFormula, room, servedBy, unequal } from "../../../assets/shared/serving.js";

const read = (/** @type {string} */ path) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8"));
const hardware = read("../../../assets/shared/hardware.json");
const kept = read("served.json");
const named = (/** @type {any[]} */ list, /** @type {string} */ key) => list.find((one) => one.key === key);

/** Every number of `wanted` is in `found`, to nine digits. @param {any} found @param {any} wanted */
function holds(found, wanted) {
  for (const [key, value] of Object.entries(wanted)) {
    if (typeof value === "object" && value !== null) holds(found[key], value);
    else if (typeof value !== "number") assert.equal(found[key], value);
    else
      assert.ok(
        Math.abs(found[key] - value) <= 1e-9 * Math.max(1, Math.abs(value)),
        `${key}: ${found[key]} is not ${value}`,
      );
  }
}

test("the page serves as specviz/lab/load.py does, and promises as pair.py does", () => {
  assert.equal(kept.cases.length, 3);
  for (const { asked, ...wanted } of kept.cases) {
    const [target, draft] = [named(hardware.models, asked.target), named(hardware.models, asked.draft)];
    const card = named(hardware.cards, asked.card);
    const where = { card, devices: asked.devices, reach: 0.8, launch: 5 };
    const work = { texts: asked.texts, context: asked.context };
    const passes = byFormula(target, draft, where, work);
    /** @type {[number, number]} */
    const [reach, launch] = [
      [0.5, 0.9],
      [0, 10],
    ];
    const all = { target, draft, card, devices: asked.devices, work };
    const assumed = { reach, launch, width: 2, draftWidth: 2 };
    holds(
      {
        passes,
        best: bestOf(servedBy(passes, [asked.alpha], asked.texts)),
        unequal: unequal(passes, asked.alpha, 0.15, 4, asked.texts),
        room: room(target, draft, where, Math.max(1, asked.context)),
        promise: promise({ ...all, assumed }, [[asked.alpha - 0.05], [asked.alpha], [asked.alpha + 0.05]]),
      },
      wanted,
    );
  }
});

test("texts whose α would lie beyond 1 lie evenly up to 1, and a draft of other weights takes its own memory", () => {
  const passes = { target: [10, 10, 10, 10, 10], draft: 0.5 };
  holds(unequal(passes, 0.9, 0.5, 4, 8), unequal(passes, 0.7, 0.3, 4, 8));
  const [target, draft] = ["llama-3.1-70b", "llama-3.1-8b"].map((key) => named(hardware.models, key));
  const where = { card: named(hardware.cards, "h100"), devices: 2, reach: 1, launch: 0 };
  assert.ok(room(target, draft, where, 1024, 2, 0.5) > room(target, draft, where, 1024, 2) === true);
  assert.equal(room(target, draft, { ...where, devices: 1 }, 1024, 2), 0);
});

test("of K that are equally fast the least is best: a draft that costs what it brings gains nothing", () => {
  const all = servedBy({ target: [5.44, 5.44, 5.44, 5.44], draft: 5.44 }, [1], 8);
  assert.equal(bestOf(all).K, 0);
});

test("loads at which no K pays are named, also where a larger one pays again", () => {
  const words = {
    zero: "from {texts}",
    zero_between: "{none} not, from {texts}",
    zero_never: "never {texts}",
    zero_never_between: "{none} not, {texts}",
    zero_always: "all",
  };
  const [pays, not] = [
    { target: [10, 10], draft: 1 },
    { target: [10, 20], draft: 9 },
  ];
  const said = (/** @type {typeof pays[]} */ ...by) => {
    const grid = by.map((_, i) => 2 ** i);
    return zero({ grid, alpha: 0.7, passesOf: (texts) => by[grid.indexOf(texts)] }, words);
  };
  assert.deepEqual(
    [said(pays, pays), said(pays, not), said(not, not, pays), said(not, not), said(not, pays, not)],
    ["never 2", "from 2", "1, 2 not, 4", "all", "1 not, from 4"],
  );
});

test("published measurements are worked out alike", () => {
  assert.equal(kept.checks.length, hardware.published.length);
  hardware.published.forEach((/** @type {any} */ said, /** @type {number} */ i) => {
    const { name, source, ...wanted } = kept.checks[i];
    assert.deepEqual([said.name, said.source], [name, source]);
    holds(check(hardware, said), wanted);
  });
});
