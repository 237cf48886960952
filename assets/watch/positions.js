// Acceptance by position in the block, with its counts, and the tokens a round that it promises beside those
// measured.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { positionTable } from "../shared/positions.js";
import { say } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Account, Picture } from "../shared/types.js" */

/** @param {Picture} picture */
export function byPosition({ lanes, account }) {
  const rows = lanes.speculative?.numbers.by_position ?? [];
  if (!rows.length) return null;
  return el(
    "section.sv-positions",
    null,
    positionTable(rows),
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
