// The numbers of the run: why it was fast or slow, the figures that a class asks for, acceptance by position,
// both lanes in two columns, where the time went.

import { el } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { positionTable } from "../shared/positions.js";
import { say } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { runFacts, settingsLine, whyLine } from "./facts.js";
import { figures } from "./figures.js";
import { factsOf } from "./headline.js";
import { timeSplit } from "./split.js";

/** @import { Account, LaneName, Picture } from "../shared/types.js" */

/** A word, what it is called in assets/picture/numbers.js, its digits. @type {[string, string, number][]} */
const TABLE = [
  ["n_tokens", "tokens", 0],
  ["n_rate", "tokens_per_second", 1],
  ["n_rate_all", "tokens_per_second_end_to_end", 1],
  ["n_decode", "decode_ms", 1],
  ["n_prefill", "prefill_ms", 1],
  ["n_forwards", "target_forwards", 0],
  ["n_draft_forwards", "draft_forwards", 0],
  ["n_per_round", "tokens_per_round", 2],
  ["n_drafted", "drafted_per_round", 2],
];
/** Times, withheld where the machine was busy; rounds keep theirs, since the replay is made of them. */
const TIMED = ["tokens_per_second", "tokens_per_second_end_to_end", "decode_ms", "prefill_ms"];
const OF_DRAFTING = ["draft_forwards", "drafted_per_round"]; // left out where every lane has none
/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];

/** @param {HTMLElement} box @param {Picture} picture */
export function drawNumbers(box, picture) {
  const lanes = LANES.map((name) => picture.lanes[name]?.numbers || null);
  const busy = picture.comparison?.kind === "disturbed";
  box.replaceChildren(
    el("h3", null, WORDS.numbers),
    factsOf(picture) ?? "",
    el("p.sv-settings-line.sv-note", null, settingsLine(picture.header)),
    el("p.sv-why", null, whyLine(picture.account, picture.header.engine)),
    el(
      "div.sv-number-columns",
      null,
      el("div", null, figures(picture), byPosition(picture)),
      el("div", null, laneTable(lanes, busy), busy ? null : timeSplit(lanes)),
    ),
    el("div.sv-note", null, runFacts(picture.header, lanes)),
  );
}

/** @param {(Record<string, any> | null)[]} lanes @param {boolean} busy */
function laneTable(lanes, busy) {
  const rows = TABLE.filter(([, key]) => !(busy && TIMED.includes(key))).filter(
    ([, key]) => !OF_DRAFTING.includes(key) || lanes.some((numbers) => numbers?.[key]),
  );
  const heads = [null, ...LANES.map((name) => WORDS[name])];
  const cells = (/** @type {string} */ key, /** @type {number} */ digits) =>
    lanes.map((numbers) => number(numbers?.[key], digits));
  return table(
    ".sv-table",
    heads,
    rows.map(([word, key, digits]) => line(wordOf(word), cells(key, digits))),
  );
}

/** @param {Picture} picture */
function byPosition({ lanes, account }) {
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
