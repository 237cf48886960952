// Acceptance by position in the block as a table, of a run or of what another engine told.

import { el } from "./dom.js";
import { percent } from "./numbers.js";
import { plain } from "./sentences.js";
import { WORDS } from "./words.js";

/** @import { AtPosition } from "./types.js" */
/** @typedef {Omit<AtPosition, "reached"> & { reached: number | null }} Told `reached`: null where nobody told it */

const COLUMNS = ["position", "reached", "accepted", "given_reached", "of_blocks"];

/**
 * Both shares of a position as they are written; none for one that no block reached.
 * @param {Pick<Told, "given_reached" | "of_blocks">} at
 */
export const shares = ({ given_reached, of_blocks }) => [percent(given_reached), percent(of_blocks)];

/** @param {string} look the class of the table @param {Told[]} positions */
export function positionTable(look, positions) {
  const body = positions.map((at) => {
    const reached = at.reached === null ? WORDS.none : plain("position_counts", { ...at });
    const cells = [reached, String(at.accepted), ...shares(at)];
    const position = el("th", { scope: "row" }, String(at.position));
    return el(
      "tr",
      null,
      position,
      cells.map((value) => el("td", null, value)),
    );
  });
  const names = COLUMNS.map((key) => el("th", { scope: "col" }, WORDS[`position_${key}`]));
  const head = el("thead", null, el("tr", null, names));
  return [el("h4", null, WORDS.position_title), el(`table.${look}`, null, head, el("tbody", null, body))];
}
