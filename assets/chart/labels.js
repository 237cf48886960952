// Where the texts of a chart stand: names beside, over or under their point, never on another name or point.

/** @typedef {{ x: number, y: number }} Point */
/** @typedef {{ x: number, y: number, anchor: "start" | "middle" | "end", far: boolean }} Place */

const LETTER = 7.4; // px of a letter, of 14 px text
const HIGH = 14;
const NEAR = 9; // px from a point to its name
const POINT = 5; // px from a point's middle that stay free

/**
 * A place for each name, the first that is free; null where none is.
 * @param {Point[]} points @param {string[]} names
 * @param {{ left: number, right: number, top: number, bottom: number }} box what all stay within
 * @param {number} [lines] how far above or under its point a name may stand, in lines of text: `far` has a line to it
 * @returns {(Place | null)[]}
 */
export function placeNames(points, names, { left, right, top, bottom }, lines = 0) {
  const taken = points.map(({ x, y }) => ({ from: x - POINT, to: x + POINT, top: y - POINT, bottom: y + POINT }));
  return points.map((point, i) => {
    const long = names[i].length * LETTER;
    for (const place of around(point, lines)) {
      const from = place.x - (place.anchor === "end" ? long : place.anchor === "middle" ? long / 2 : 0);
      const here = { from, to: from + long, top: place.y - HIGH + 3, bottom: place.y + 3 };
      const inside = here.from >= left && here.to <= right && here.top >= top && here.bottom <= bottom;
      const free = taken.every((one) => here.from >= one.to || here.to <= one.from || clear(here, one));
      if (!inside || !free) continue;
      taken.push(here);
      return place;
    }
    return null;
  });
}

/** @param {{ top: number, bottom: number }} one @param {{ top: number, bottom: number }} other */
const clear = (one, other) => one.top >= other.bottom || one.bottom <= other.top;

/** Where a name may stand, the best place first. @param {Point} point @param {number} lines @returns {Place[]} */
function around({ x, y }, lines) {
  /** @type {["start" | "middle" | "end", number][]} */
  const ways = [
    ["middle", 0],
    ["start", POINT],
    ["end", -POINT],
  ];
  const places = Array.from({ length: 1 + lines }, (_, n) =>
    [-NEAR - n * HIGH, NEAR + HIGH - 4 + n * HIGH].flatMap((off) =>
      ways.map(([anchor, aside]) => ({ x: x + aside, y: y + off, anchor, far: n > 0 })),
    ),
  );
  return [
    { x: x + NEAR, y: y + 5, anchor: "start", far: false },
    { x: x - NEAR, y: y + 5, anchor: "end", far: false },
    ...places.flat(),
  ];
}

/**
 * Places of labels, moved so far that none covers another; their order stays.
 * @param {number[]} places @param {number} least px from one to the next
 */
export function moveApart(places, least) {
  const moved = [...places];
  const order = places.map((_, i) => i).sort((a, b) => places[a] - places[b]);
  for (let n = 1; n < order.length; n++) {
    moved[order[n]] = Math.max(moved[order[n]], moved[order[n - 1]] + least);
  }
  return moved;
}

/**
 * A text in lines of at most so many letters, as far as its words allow.
 * @param {string} text @param {number} letters
 */
export function wrap(text, letters) {
  const lines = [""];
  for (const word of text.split(" ")) {
    const last = lines.length - 1;
    if (lines[last] && lines[last].length + 1 + word.length > letters) lines.push(word);
    else lines[last] = `${lines[last]} ${word}`.trim();
  }
  return lines;
}
