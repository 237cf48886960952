// Where the time went: one bar a lane, on one scale, so that their lengths compare as their times do.

import { el } from "../shared/dom.js";
import { milliseconds } from "../shared/numbers.js";
import { share } from "../shared/scale.js";
import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { Numbers, Part } from "../shared/types.js" */

/** @type {Part[]} */
const PARTS = ["draft", "verify", "decide", "rest"];

/** @param {(Numbers | null)[]} lanes vanilla, then speculative */
export function timeSplit(lanes) {
  const most = Math.max(1e-9, ...lanes.map((numbers) => numbers?.decode_ms || 0));
  const rows = lanes.map((numbers, i) => numbers && bar(WORDS[i ? "speculative" : "vanilla"], numbers, most));
  const keys = PARTS.map((part) => {
    const name = el("th", { scope: "row" }, el("span.sv-dot", { "data-part": part }), WORDS[`s_${part}`]);
    return el(
      "tr",
      null,
      name,
      lanes.map((numbers) => el("td", null, numbers ? written(numbers.split[part]) : WORDS.none)),
    );
  });
  const table = el("table.sv-table", null, el("tbody", null, keys));
  const note = el("p.sv-note", null, WORDS.split_is);
  return el("section.sv-panel", null, el("h4", null, WORDS.split), note, rows, table);
}

/** @param {number | null} ms none where an engine does not tell */
const written = (ms) => (ms === null ? WORDS.none : plain("ms", { ms: milliseconds(ms) }));

/** @param {string} name @param {Numbers} numbers @param {number} most */
function bar(name, { split }, most) {
  const parts = PARTS.map((part) => {
    const node = el("span", { "data-part": part, title: `${WORDS[`s_${part}`]}: ${written(split[part])}` });
    node.style.width = share(split[part] ?? 0, most);
    return node;
  });
  return el("div.sv-split", null, el("span.sv-note", null, name), el("span.sv-split-track", null, parts));
}
