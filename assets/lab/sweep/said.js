// What a sweep says in sentences: of a cell, and of all that was run so far.

import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { drafterWord } from "../setting.js";

/** @import { Words } from "../types.js" */
/** @import { Cell, Found } from "./types.js" */

/** Which settings, and how much faster they were. @param {Cell} cell @param {Words} words */
const faster = ({ where, speedup }, words) => ({
  drafter: drafterWord(where.drafter, words),
  K: where.K,
  T: where.temperature,
  speedup: number(speedup?.median, 2),
  first: number(speedup?.first, 2),
  third: number(speedup?.third, 2),
});

/** All that is known of a cell. @param {Cell} cell @param {Words} words */
export function sentence(cell, words) {
  const values = {
    ...faster(cell, words),
    runs: cell.speedup?.runs ?? 0,
    tokens: number(cell.tokens_a_round, 2),
    alpha: number(cell.alpha, 2),
    c: number(cell.c, 2),
    v: number(cell.v, 2),
    predicted: number(cell.predicted, 2),
  };
  const told = fillText(cell.speedup ? words.cell : words.cell_counted, values);
  return told + (cell.disturbed ? fillText(words.cell_busy, { n: cell.disturbed, of: cell.runs }) : "");
}

/** The fastest cell; null while the times of one are not known, since it might be the fastest. @param {Cell[]} cells */
export function fastest(cells) {
  if (cells.some(({ speedup }) => !speedup)) return null;
  return cells.reduce((one, other) => ((other.speedup?.median ?? 0) > (one.speedup?.median ?? 0) ? other : one));
}

/** Which cell is the fastest, and whether the machine was busy. @param {Found} found @param {Words} words */
export function summary({ cells, done, of }, words) {
  const best = fastest(cells);
  const busy = cells.reduce((sum, { disturbed }) => sum + disturbed, 0);
  const disturbed = busy ? fillText(words.busy, { n: busy, of: done }) : "";
  if (!best) return `${disturbed} ${words.no_winner}`;
  const values = { ...faster(best, words), so_far: done < of ? words.so_far : "" };
  const { median = 0, runs = 0 } = best.speedup ?? {};
  const found = runs === 1 ? words.fastest_one : words.fastest;
  const told = fillText(median > 1 ? found : words.none_faster, values);
  return disturbed ? `${told} ${disturbed}` : told;
}
