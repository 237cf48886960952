// Acceptance by position in the block, with its counts, and the tokens a round that it promises beside those
// measured.

import { el } from "../shared/dom.js";
import { number, percent } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Account, AtPosition, Picture } from "../shared/types.js" */

const COLUMNS = ["position", "reached", "accepted", "given_reached", "of_blocks"];

/**
 * Both shares of a position as they are written; none for one that no block reached.
 * @param {AtPosition} at
 */
export const written = ({ given_reached, of_blocks }) => [percent(given_reached), percent(of_blocks)];

/** @param {Picture} picture */
export function byPosition({ lanes, account }) {
  const rows = lanes.speculative?.numbers.by_position ?? [];
  if (!rows.length) return null;
  const body = rows.map((at) => {
    const cells = [plain("position_counts", { ...at }), String(at.accepted), ...written(at)];
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
  return el(
    "section.sv-positions",
    null,
    el("h4", null, WORDS.position_title),
    el("table.sv-table", null, head, el("tbody", null, body)),
    el("p.sv-note", null, WORDS.position_is),
    three(account),
  );
}

/** @param {Account} account */
function three(account) {
  if (account.missing !== null) return null;
  const { alpha, positions, measured } = account.tokens_by;
  const two = { alpha: number(alpha, 2), positions: number(positions, 2), measured: number(measured, 2) };
  return el("p.sv-note", null, say("position_three", two));
}
