// What a sweep says in sentences: of a cell, and of all that was run so far.

import { rounded } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { sum } from "../../trace/events.js";
import { drafterWord } from "../setting.js";

/** @import { Words } from "../types.js" */
/** @import { Cell, SweepResult } from "./types.js" */

/** Which settings, and how much faster they were. @param {Cell} cell @param {Words} words */
const speedupValues = ({ where, speedup }, words) => ({
  ...{ drafter: drafterWord(where.drafter, words), K: where.K, T: where.temperature },
  ...rounded({ speedup: speedup?.median, first: speedup?.first, third: speedup?.third }),
});

/** All that is known of a cell. @param {Cell} cell @param {Words} words */
export function cellSentence(cell, words) {
  const { tokens_a_round: tokens, alpha, c, v, predicted } = cell;
  const numbers = rounded({ tokens, alpha, c, v, predicted });
  const values = { ...speedupValues(cell, words), runs: cell.speedup?.runs ?? 0, ...numbers };
  return (
    fillText(cell.speedup ? words.cell : words.cell_counted, values) +
    (cell.disturbed ? fillText(words.cell_busy, { n: cell.disturbed, of: cell.runs }) : "")
  );
}

/** The fastest cell; null while the times of one are not known, since it might be the fastest. @param {Cell[]} cells */
export function fastestCell(cells) {
  if (cells.some(({ speedup }) => !speedup)) return null;
  return cells.reduce((one, other) => ((other.speedup?.median ?? 0) > (one.speedup?.median ?? 0) ? other : one));
}

/** Which cell is the fastest, and whether the machine was busy. @param {SweepResult} result @param {Words} words */
export function summarySentence({ cells, done, of }, words) {
  const best = fastestCell(cells);
  const countSentence = (/** @type {string} */ word, /** @type {number} */ n) =>
    n ? fillText(words[/** @type {keyof Words} */ (word)], { n, of: done }) : "";
  const busySentence = [
    countSentence("busy", sum(cells.map(({ disturbed }) => disturbed))),
    countSentence("by_processor", sum(cells.map(({ by_processor }) => by_processor ?? 0))),
  ]
    .filter(Boolean)
    .join(" ");
  if (!best) return `${busySentence} ${words.no_winner}`;
  const values = { ...speedupValues(best, words), so_far: done < of ? words.so_far : "" };
  const { median = 0, runs = 0 } = best.speedup ?? {};
  const key = runs === 1 ? words.fastest_one : words.fastest;
  const text = fillText(median > 1 ? key : words.none_faster, values);
  return busySentence ? `${text} ${busySentence}` : text;
}
