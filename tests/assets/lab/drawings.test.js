// Names beside points and lines: none covers another, each stays in the drawing.

import assert from "node:assert/strict";
import test from "node:test";
import { apart } from "../../../assets/lab/axis.js";
import { placed } from "../../../assets/lab/labels.js";

const BOX = { left: 0, right: 360, top: 0, bottom: 260 };
const LETTER = 7.4;

/** What a name covers. */
function covered({ x, y, anchor }, name) {
  const long = name.length * LETTER;
  const from = x - { start: 0, middle: long / 2, end: long }[anchor];
  return { from, to: from + long, top: y - 11, bottom: y + 3 };
}

const meet = (one, other) =>
  one.from < other.to && other.from < one.to && one.top < other.bottom && other.top < one.bottom;

test("names of points that crowd each other cover neither a point nor another name", () => {
  const points = [
    { x: 185, y: 62 },
    { x: 250, y: 60 },
    { x: 289, y: 64 },
    { x: 294, y: 72 },
    { x: 329, y: 62 },
    { x: 20, y: 250 },
  ];
  const names = ["Small model", "Large model", "Early exit", "EAGLE head", "Multi-token heads", "Prompt lookup"];
  const places = placed(points, names, BOX, 4);
  const boxes = places.map((place, i) => place && covered(place, names[i])).filter((box) => box);
  assert.equal(boxes.length, names.length);
  assert.ok(places[0].far === false && placed(points, names, BOX).includes(null)); // without going further away not all find room
  boxes.forEach((box, i) => {
    assert.ok(box.from >= BOX.left && box.to <= BOX.right && box.top >= BOX.top && box.bottom <= BOX.bottom);
    for (const other of boxes.slice(i + 1)) assert.equal(meet(box, other), false);
    for (const { x, y } of points)
      assert.equal(meet(box, { from: x - 4, to: x + 4, top: y - 4, bottom: y + 4 }), false);
  });
});

test("a name for which there is no room is left out", () => {
  const points = Array.from({ length: 40 }, () => ({ x: 100, y: 100 }));
  const places = placed(
    points,
    points.map(() => "Small model"),
    BOX,
  );
  assert.ok(places[0] !== null && places.at(-1) === null);
});

test("labels at the ends of lines are moved apart and keep their order", () => {
  assert.deepEqual(apart([100, 40, 103, 180], 14), [100, 40, 114, 180]);
  assert.deepEqual(apart([50, 50, 50], 14), [50, 64, 78]);
});
