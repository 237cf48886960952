// What came against what must come: a bar for each outcome, p as a line with what luck allows around it, and the
// rule's own distribution as a rhomb.

import { number } from "../../shared/numbers.js";
import { scaleTop } from "../../shared/scale.js";
import { shape } from "../../shared/shape.js";
import { area, label, line, linear } from "../plot.js";

/** @import { Case } from "./types.js" */
/** @import { Trial } from "./trial.js" */

const SIGMAS = 2; // 19 of 20 samples of a right rule lie within
const KEY = 18; // px of a row of the key
const NARROW = 480; // px: below, each part of the key has a row of its own
const NAME = 15; // letters of an outcome's name

/** @param {Case} now @param {Trial} trial @param {number} width @param {Record<string, string>} words */
export function bars({ names, p }, { n, counts, exact }, width, words) {
  const row = names.length > 12 ? 18 : names.length > 6 ? 26 : 36;
  const head = 34 + KEY * (width < NARROW ? 4 : 2);
  const from = Math.min(110, 0.26 * width);
  const luck = p.map((x) => SIGMAS * Math.sqrt((x * (1 - x)) / Math.max(1, n)));
  const came = counts.map((k) => k / Math.max(1, n));
  const reach = p.map((each, i) => Math.min(1, each + luck[i]));
  const x = linear(0, scaleTop([...came, ...exact, ...reach]), from + 8, width - 54);
  const rows = names.map((name, i) => {
    const y = head + i * row + row / 2;
    const [low, high] = [Math.max(0, p[i] - luck[i]), Math.min(1, p[i] + luck[i])];
    return [
      label(from, y + 5, name.length > NAME ? `${name.slice(0, NAME - 1)}…` : name, "lab-name", "end"),
      area(x(0), y - row * 0.3, x(came[i]) - x(0), row * 0.6, "brk-came"),
      area(x(low), y - 3, x(high) - x(low), 6, "brk-luck"),
      line(x(p[i]), y - row * 0.45, x(p[i]), y + row * 0.45, "brk-p"),
      rhomb(x(exact[i]), y),
      label(width, y + 5, number(came[i], 3), "lab-label", "end"),
    ];
  });
  return {
    height: head + row * names.length,
    nodes: [label(0, 14, words.bars, "lab-title"), ...key(width, words), ...rows.flat()],
  };
}

/** What each mark means. @param {number} width @param {Record<string, string>} words */
function key(width, words) {
  const marks = [
    [area(0, -4, 14, 9, "brk-came"), words.key_came],
    [line(7, -6, 7, 7, "brk-p"), words.key_p],
    [area(0, -3, 14, 6, "brk-luck"), words.key_luck],
    [rhomb(7, 0), words.key_exact],
  ];
  const columns = width < NARROW ? 1 : 2;
  return marks.map(([mark, word], i) => {
    const place = `translate(${(i % columns) * (width / 2)} ${31 + KEY * Math.floor(i / columns)})`;
    return shape("g", { transform: place }, mark, label(20, 5, /** @type {string} */ (word)));
  });
}

/** @param {number} x @param {number} y */
const rhomb = (x, y) => shape("path", { d: `M${x} ${y - 6}l5 6l-5 6l-5 -6z`, class: "brk-exact" });
