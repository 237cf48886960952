// Rows as a spreadsheet reads them, and the rounds of a run as such: one row a round, both lanes. It begins with a byte order
// mark, without which spreadsheets misread UTF-8. Of a disturbed run the cells of times are empty: no screen shows them.
// Text came from a model or from a file that anybody sent, so a cell that a spreadsheet would take for a formula gets an
// apostrophe in front.

import { isExact, LANES, roundMs, roundsOf, signs } from "../trace/events.js";

/** @import { About } from "../shared/types.js" */
/** @import { Cache, LaneName, Round, Trace } from "../trace/types.js" */

// at the beginning of a cell; and after what other spreadsheets than ours take for the end of one
const OPENS = /^(?=[=+\-@\t\r\n＝＋－＠])|(?<=[;\t\r\n])(?= *[=+\-@＝＋－＠])/g;

/** @param {(string | number | null)[][]} rows */
export const csv = (rows) => rows.map((row) => `${row.map(cell).join(",")}\r\n`).join("");

/** @param {string | number | null} value */
function cell(value) {
  if (typeof value !== "string") return value === null ? "" : String(value);
  const text = value.replace(OPENS, "'");
  return /[",\r\n]/.test(text) ? `"${text.replace(/"/g, '""')}"` : text;
}

/** @typedef {string | number} Value */

const COLUMNS = [
  ["lane", "round", "start_ms", "draft_ms", "verify_ms", "decide_ms", "rest_ms", "drafted", "accepted", "emitted"],
  ["last_role", "drafted_text", "emitted_text", "target_cache_before", "target_cache_peak", "target_cache_after"],
  ["draft_cache_before", "draft_cache_peak", "draft_cache_after", "target_forwards", "draft_forwards"],
  ["drafting", "verifier", "exact", "disturbed"],
].flat();

/** @param {Trace} trace @param {About["rules"]} rules */
export function csvText(trace, rules) {
  const { config } = trace.header;
  const disturbed = signs(trace).length > 0; // then its times are withheld
  const rows = LANES.flatMap((lane) => {
    let start = 0;
    return roundsOf(trace[lane]).map((round) => {
      const counts = rowOf(lane, round, disturbed ? null : start);
      const row = [...counts, ...ruleOf(round, config, rules), disturbed ? "yes" : "no"];
      start += roundMs(round);
      return row;
    });
  });
  return `\ufeff${csv([COLUMNS, ...rows])}`;
}

/** @param {LaneName} lane @param {Round} round @param {number | null} start null: without times @returns {Value[]} */
function rowOf(lane, round, start) {
  const { times, drafted, emitted } = round;
  const ms = [start, times.draft, times.verify, times.decide, times.rest].map((each) => (start === null ? null : each));
  const cacheCounts = (/** @type {Cache | null} */ cache) => (cache ? [cache.before, cache.peak, cache.after] : ["", "", ""]);
  return [
    lane,
    round.index + 1,
    ...ms.map((each) => (each === null ? "" : Math.round(each * 1e4) / 1e4)),
    drafted.length,
    drafted.filter(({ verdict }) => verdict === "accepted").length,
    emitted.length,
    emitted[emitted.length - 1]?.role ?? "",
    drafted.map(({ token }) => token.text).join(""),
    emitted.map(({ piece }) => piece).join(""),
    ...cacheCounts(round.target_cache),
    ...cacheCounts(round.draft_cache),
    round.target_forwards,
    round.draft_forwards ?? "",
  ];
}

/** How its tokens were drafted and decided, and whether the text keeps the target's distribution. @param {Round} round
 * @param {Trace["header"]["config"]} config @param {About["rules"]} rules */
function ruleOf({ drafted }, config, rules) {
  if (!drafted.length) return ["", "", "yes"];
  const rule = config.temperature === 0 ? "equality" : config.verifier;
  return [config.drafting, rule, isExact(config, rules) ? "yes" : "no"];
}
