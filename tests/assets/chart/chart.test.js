import "../page.js";
import assert from "node:assert/strict";
import { test } from "node:test";
import {
  area,
  bands,
  between,
  chartText,
  curve,
  dots,
  exact,
  headHeight,
  linear,
  logarithmic,
  steps,
} from "../../../assets/chart/chart.js";
import { moveApart, placeNames } from "../../../assets/chart/labels.js";
import { roundNumbers, wrapWords } from "../../../assets/player/dom.js";
import { setVocabulary } from "../../../assets/player/words.js";
import { asLabel } from "../../../assets/plot/plot.js";

// A chart: axes have round marks, names beside points and lines do not cover each other, and what is drawn is heard.
setVocabulary({
  words: {
    chart_across: "Across: {name}, from {from} to {to}.",
    chart_up: "Up: {name}, from {from} to {to}.",
    chart_range: "{name}: from {low} to {high}.",
  },
  roles: {},
});

const texts = ({ ticks }) => ticks.map(({ text }) => text);

const BOX = { left: 34, right: 348, top: 48, bottom: 231 };
const LETTER = 7.4;

/** What a name covers. */
function covered({ x, y, anchor }, name) {
  const long = name.length * LETTER;
  const from = x - { start: 0, middle: long / 2, end: long }[anchor];
  return { from, to: from + long, top: y - 11, bottom: y + 3 };
}

const meet = (one, other) => one.from < other.to && other.from < one.to && one.top < other.bottom && other.top < one.bottom;

test("names of points that crowd each other cover neither a point nor another name", () => {
  // as in Sweep on a phone
  const xy = [119, 82, 207, 79, 56, 208, 63, 168, 215, 90, 228, 84, 144, 98, 276, 107];
  const points = Array.from({ length: 8 }, (_, i) => ({ x: xy[2 * i], y: xy[2 * i + 1] }));
  const heads = ["Early exit", "Multi-token heads", "EAGLE head", "Block head"];
  const names = ["Small model", "Large model", "Prompt lookup", "Bigram table", ...heads];
  const places = placeNames(points, names, BOX, 4);
  const boxes = places.map((place, i) => place && covered(place, names[i])).filter((box) => box);
  assert.equal(boxes.length, names.length);
  assert.ok(places[0].far === false && placeNames(points, names, BOX).includes(null)); // not all find room nearby
  boxes.forEach((box, i) => {
    assert.ok(box.from >= BOX.left && box.to <= BOX.right && box.top >= BOX.top && box.bottom <= BOX.bottom);
    for (const other of boxes.slice(i + 1)) assert.equal(meet(box, other), false);
    const aside = places[i].far ? 13 : 4; // a name that stands away from its point is not beside another one
    for (const { x, y } of points) assert.equal(meet(box, { from: x - aside, to: x + aside, top: y - 4, bottom: y + 4 }), false);
  });
});

test("a name for which there is no room is left out", () => {
  const points = Array.from({ length: 40 }, () => ({ x: 100, y: 100 }));
  const places = placeNames(
    points,
    points.map(() => "Small model"),
    BOX,
  );
  assert.ok(places[0] !== null && places.at(-1) === null);
});

test("labels at the ends of lines are moved apart and keep their order", () => {
  assert.deepEqual(moveApart([100, 40, 103, 180], 14), [100, 40, 114, 180]);
  assert.deepEqual(moveApart([50, 50, 50], 14), [50, 64, 78]);
});

test("an axis goes from one round number to another, written with the digits that tell them apart, or has its own ends", () => {
  assert.deepEqual(roundNumbers(0.13, 0.92, 4), [0, 0.2, 0.4, 0.6, 0.8, 1]);
  const axis = linear(1.02, 1.48, 4, "speedup");
  assert.deepEqual(texts(axis), ["1.0", "1.2", "1.4", "1.6"]);
  assert.deepEqual([axis.place(1), axis.place(1.6), axis.ends], [0, 1, ["1.0", "1.6"]]);
  assert.ok(Math.abs(axis.place(1.3) - 0.5) < 1e-12);
  const ends = exact(0, 64.7, 7, "ms");
  assert.deepEqual(texts(ends), ["0", "10", "20", "30", "40", "50", "60"]);
  assert.equal(ends.place(64.7), 1);
});

test("powers of ten are at equal distances, points stand from end to end, rows in the middle of their band", () => {
  const axis = logarithmic(0.001, 1);
  assert.deepEqual(texts(axis), ["0.001", "0.01", "0.1", "1"]);
  assert.ok(Math.abs(axis.place(0.1) - 2 / 3) < 1e-9);
  assert.deepEqual([axis.place(0), axis.place(7)], [0, 1]);
  assert.deepEqual([0, 1, 2].map(steps(["1", "2", "4"]).place), [0, 0.5, 1]);
  assert.deepEqual(texts(steps(["1", "2", "4"], "K", 2)), ["1", "4"]);
  assert.deepEqual([0, 1].map(bands(["a", "b"]).place), [0.25, 0.75]);
});

test("what a chart draws is heard: its title, both axes, its lines, its bars", () => {
  const x = steps(["0", "4"], "K");
  const y = linear(0, 1.9, 4, "speedup");
  const line = curve([{ x: 0, y: 1 }, { x: 1, y: 1.8333 }], { name: "best K" }); // biome-ignore format: one line
  const frame = { x: 0, y: 0, width: 300, height: 200 };
  const bar = area({ x0: 0 }, { sentences: ["went: 0.80."] });
  const planes = [{ frame, title: "Speedup by K", x, y, marks: [line, dots([{ x: 0, y: 1 }]), bar] }];
  assert.equal(
    chartText(planes, "A promise."),
    "A promise. Speedup by K. Across: K, from 0 to 4. Up: speedup, from 0 to 2.0. best K: from 1 to 1.83. went: 0.80.",
  );
  const unnamed = { frame, x: between(0, 1, []), y: bands(["a"]), marks: [] };
  assert.equal(chartText([unnamed]), "");
});

test("the head of a plane is as high as its title, its axis's name and the rows of its key", () => {
  const [x, y] = [steps(["0", "4"], "K"), linear(0, 2, 4, "speedup")];
  const keys = ["what came", "what must come", "what luck allows"].map((word) => ({ sign: null, word }));
  const height = (more, width = 900) => headHeight({ x, y, marks: [], ...more }, width);
  const line = height({ title: "Speedup" }) - height({});
  assert.ok(line > 14);
  assert.equal(height({ keys }) - height({}), line);
  assert.equal(height({ keys }, 200) - height({}, 200), 3 * line);
});

test("a text is broken between its words, and a long word stays whole", () => {
  assert.deepEqual(wrapWords("Random tokens, K\u00a03", 17), ["Random tokens,", "K\u00a03"]);
  assert.deepEqual(wrapWords("Multi-token heads", 5), ["Multi-token", "heads"]);
  assert.deepEqual(wrapWords("α", 5), ["α"]);
});

test("what Plotly would read as a tag or an entity of its labels is written so that it shows the letters", () => {
  assert.equal(asLabel("<b>&lt;</b> a&b <a href='x'>"), "&lt;b&gt;&amp;lt;&lt;/b&gt; a&amp;b &lt;a href='x'&gt;");
});
