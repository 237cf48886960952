// Acceptance by position in the block as a table, of a run or of what another engine told.

import { el } from "./dom.js";
import { percent } from "./numbers.js";
import { plain } from "./sentences.js";
import { line, table } from "./table.js";
import { WORDS, wordOf } from "./words.js";

/** @import { AtPosition } from "./types.js" */
/** @typedef {Omit<AtPosition, "reached"> & { reached: number | null }} PositionCounts `reached`: null if untold */

const COLUMNS = ["position", "reached", "accepted", "given_reached", "of_blocks"];

/**
 * Both shares of a position as they are written; none for one that no block reached.
 * @param {Pick<PositionCounts, "given_reached" | "of_blocks">} at
 */
export const shares = ({ given_reached, of_blocks }) => [percent(given_reached), percent(of_blocks)];

/** @param {PositionCounts[]} positions */
export function positionTable(positions) {
  const body = positions.map((at) => {
    const reached = at.reached === null ? WORDS.none : plain("position_counts", { ...at });
    return line(String(at.position), [reached, String(at.accepted), ...shares(at)]);
  });
  const heads = COLUMNS.map((key) => wordOf(`position_${key}`));
  return [el("h4", null, WORDS.position_title), table(".sv-table", heads, body)];
}
