// Names in a chart: beside, over or under their point or at the end of their line, never on another name or point.

import { LETTER, shape, text } from "../player/dom.js";

/** @import { Mark, Point } from "./types.js" */
/** @typedef {{ x: number, y: number, anchor: "start" | "middle" | "end", far: boolean }} Place */

const NAME_HEIGHT = 14;
const NAME_GAP = 9; // px from a point to its name
const LINE_NAME_STEP = 14; // px from the name of one line's end to the next
const POINT_RADIUS = 5; // px from a point's middle that stay free

/** A place for each name, the first that is free; null where none is.
 * @param {Point[]} points @param {string[]} names
 * @param {{ left: number, right: number, top: number, bottom: number }} box what all stay within
 * @param {number} [lines] how far above or under its point a name may stand, in lines of text: `far` has a line to it
 * @returns {(Place | null)[]} */
export function placeNames(points, names, { left, right, top, bottom }, lines = 0) {
  const boxes = points.map(({ x, y }) => ({
    from: x - POINT_RADIUS,
    to: x + POINT_RADIUS,
    top: y - POINT_RADIUS,
    bottom: y + POINT_RADIUS,
  }));
  return points.map((point, i) => {
    const long = names[i].length * LETTER;
    for (const place of placesAround(point, lines)) {
      const from = place.x - (place.anchor === "end" ? long : place.anchor === "middle" ? long / 2 : 0);
      const box = { from, to: from + long, top: place.y - NAME_HEIGHT + 3, bottom: place.y + 3 };
      const inside = box.from >= left && box.to <= right && box.top >= top && box.bottom <= bottom;
      const aside = place.far ? NAME_GAP : 0; // beside another point it would be read as that one's
      const free = boxes.every((one) => box.from >= one.to + aside || box.to <= one.from - aside || isApart(box, one));
      if (!inside || !free) continue;
      boxes.push(box);
      return place;
    }
    return null;
  });
}

/** @param {{ top: number, bottom: number }} one @param {{ top: number, bottom: number }} other */
const isApart = (one, other) => one.top >= other.bottom || one.bottom <= other.top;

/** Where a name may stand, the best place first. @param {Point} point @param {number} lines @returns {Place[]} */
function placesAround({ x, y }, lines) {
  /** @type {["start" | "middle" | "end", number][]} */
  const ways = [
    ["middle", 0],
    ["start", POINT_RADIUS],
    ["end", -POINT_RADIUS],
  ];
  const places = Array.from({ length: 1 + lines }, (_, n) =>
    [-NAME_GAP - n * NAME_HEIGHT, NAME_GAP + NAME_HEIGHT - 4 + n * NAME_HEIGHT].flatMap((off) =>
      ways.map(([anchor, aside]) => ({ x: x + aside, y: y + off, anchor, far: n > 0 })),
    ),
  );
  return [
    { x: x + NAME_GAP, y: y + 5, anchor: "start", far: false },
    { x: x - NAME_GAP, y: y + 5, anchor: "end", far: false },
    ...places.flat(),
  ];
}

/** Places of labels, moved so far that none covers another; their order stays.
 * @param {number[]} places @param {number} least px from one to the next */
export function moveApart(places, least) {
  const separated = [...places];
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  for (let n = 1; n < order.length; n++) {
    separated[order[n]] = Math.max(separated[order[n]], separated[order[n - 1]] + least);
  }
  return separated;
}

/** The names of points, where there is room: a dot has its own as its title. `lines`: how far one may stand away.
 * @param {Point[]} points @param {string[]} words @param {number} [lines] @returns {Mark} */
export const names = (points, words, lines = 0) => ({
  draw(plot) {
    const places = points.map(({ x, y }) => ({ x: plot.x(x), y: plot.y(y) }));
    return placeNames(places, words, plot, lines).flatMap((place, i) => {
      if (!place) return [];
      const name = text(place.x, place.y, words[i], place.anchor, { kind: "name" });
      if (!place.far) return [name];
      const to = { x2: place.x, y2: place.y < places[i].y ? place.y + 3 : place.y - 11 };
      return [shape("line", { class: "sv-chart-rule", x1: places[i].x, y1: places[i].y, ...to }), name];
    });
  },
});

/** The names of lines at the right edge, none over another.
 * @param {number[]} values @param {string[]} words @returns {Mark} */
export const lineNames = (values, words) => ({
  draw: (plot) =>
    moveApart(values.map(plot.y), LINE_NAME_STEP).map((y, i) => text(plot.right + 5, y + 4, words[i], "start", { kind: "name" })),
});
