// Where the time went: one bar a lane, on one scale, so that their lengths compare as their times do.

import { bar, keys, row } from "../shared/bars.js";
import { el } from "../shared/dom.js";
import { milliseconds } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { line, table } from "../shared/table.js";
import { WORDS } from "../shared/words.js";

/** @import { Numbers, Part } from "../shared/types.js" */

/** @type {Part[]} */
const PARTS = ["draft", "verify", "decide", "rest"];

/** @param {(Numbers | null)[]} lanes vanilla, then speculative */
export function timeSplit(lanes) {
  const most = Math.max(1e-9, ...lanes.map((numbers) => numbers?.decode_ms || 0));
  const rows = lanes.map((numbers, i) => numbers && split(WORDS[i ? "speculative" : "vanilla"], numbers, most));
  const lines = PARTS.map((part) => {
    const cells = lanes.map((numbers) => (numbers ? written(numbers.split[part]) : WORDS.none));
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
const written = (ms) => (ms === null ? WORDS.none : plain("ms", { ms: milliseconds(ms) }));

/** @param {string} name @param {Numbers} numbers @param {number} most */
function split(name, { split }, most) {
  let from = 0;
  const parts = PARTS.map((part) => {
    const node = bar(part, split[part] ?? 0, most, from);
    node.title = `${WORDS[`s_${part}`]}: ${written(split[part])}`;
    from += split[part] ?? 0;
    return node;
  });
  return row(el("span.sv-note", null, name), parts, []);
}
