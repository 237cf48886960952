// The numbers of the run: why it was fast or slow, the figures that a class asks for, acceptance by position,
// both lanes in two columns, where the time went.

import { bar, keys, row } from "../shared/bars.js";
import { button } from "../shared/controls.js";
import { currentRun } from "../shared/current_run.js";
import { el } from "../shared/dom.js";
import { milliseconds, number, rounded } from "../shared/numbers.js";
import { positionTable } from "../shared/positions.js";
import { phrase, plain } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS, wordOf } from "../shared/words.js";
import { runFacts, settingsLine, whyLine } from "./facts.js";
import { figures } from "./figures.js";
import { factsOf } from "./headline.js";

/** @import { Account, LaneName, Picture, Numbers, Part } from "../shared/types.js" */

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
const TIMES = ["tokens_per_second", "tokens_per_second_end_to_end", "decode_ms", "prefill_ms"];
const DRAFT_COUNTS = ["draft_forwards", "drafted_per_round"]; // left out where every lane has none
/** @type {LaneName[]} */
const LANES = ["vanilla", "speculative"];
/** @type {Part[]} */
const PARTS = ["draft", "verify", "decide", "rest"];

/** @param {HTMLElement} box @param {Picture} picture @param {() => void} plotAcceptance by position */
export function drawNumbers(box, picture, plotAcceptance) {
  const lanes = LANES.map((name) => picture.lanes[name]?.numbers || null);
  const busy = Boolean(picture.comparison?.disturbed.length);
  box.replaceChildren(
    el("h3", null, WORDS.numbers),
    factsOf(picture) ?? "",
    el("p.sv-settings-line.sv-note", null, settingsLine(picture.header)),
    el("p.sv-why", null, whyLine(picture.account, picture.header.engine)),
    el(
      "div.sv-columns",
      null,
      el("div", null, figures(picture), positionSection(picture, plotAcceptance)),
      el("div", null, laneTable(lanes, busy), busy ? null : timeSplit(lanes)),
    ),
    el("div.sv-note", null, runFacts(picture.header, lanes)),
  );
}

/** @param {(Record<string, any> | null)[]} lanes @param {boolean} busy */
function laneTable(lanes, busy) {
  const rows = TABLE.filter(([, key]) => !(busy && TIMES.includes(key))).filter(
    ([, key]) => !DRAFT_COUNTS.includes(key) || lanes.some((numbers) => numbers?.[key]),
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

/** @param {Picture} picture @param {() => void} plotAcceptance */
function positionSection({ lanes, account }, plotAcceptance) {
  const rows = lanes.speculative?.numbers.by_position ?? [];
  if (!rows.length) return null;
  return el(
    "section.sv-positions",
    null,
    positionTable(rows),
    currentRun.plotly ? button(WORDS.plot_positions, plotAcceptance, { class: "sv-plot-button" }) : null,
    el("p.sv-note", null, WORDS.position_is),
    estimatesLine(account),
  );
}

/** @param {Account} account */
function estimatesLine(account) {
  if (account.missing !== null) return null;
  return el("p.sv-note", null, phrase("position_three", rounded(account.tokens_by)));
}

/** @param {(Numbers | null)[]} lanes vanilla, then speculative */
function timeSplit(lanes) {
  const longest = Math.max(1e-9, ...lanes.map((numbers) => numbers?.decode_ms || 0));
  const rows = lanes.map((numbers, i) => numbers && splitRow(WORDS[i ? "speculative" : "vanilla"], numbers, longest));
  const lines = PARTS.map((part) => {
    const cells = lanes.map((numbers) => (numbers ? timeText(numbers.split[part]) : WORDS.none));
    return line(keys([part, WORDS[`s_${part}`]]), cells);
  });
  const note = el("p.sv-note", null, WORDS.split_is);
  return el(
    "section.sv-panel",
    null,
    el("h4", null, WORDS.split),
    note,
    el("div.sv-bars", null, rows),
    table(".sv-table", null, lines),
  );
}

/** @param {number | null} ms none where an engine does not tell */
const timeText = (ms) => (ms === null ? WORDS.none : plain("ms", { ms: milliseconds(ms) }));

/** @param {string} name @param {Numbers} numbers @param {number} longest */
function splitRow(name, { split }, longest) {
  let from = 0;
  const parts = PARTS.map((part) => {
    const node = bar(part, split[part] ?? 0, longest, from);
    node.title = `${WORDS[`s_${part}`]}: ${timeText(split[part])}`;
    from += split[part] ?? 0;
    return node;
  });
  return row(el("span.sv-note", null, name), parts, []);
}
