// The KV caches of both models in one round: the last positions as cells, what the pass appended and what was rolled
// back.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { spoken } from "../shared/tokens.js";
import { WORDS } from "../shared/words.js";
import { cacheLine, cellState, readTokens } from "./cells.js";

/** @import { Cache, Lane, Phase, Round, Token } from "../shared/types.js" */
/** @import { CacheStrip } from "./types.js" */

/**
 * @typedef {object} Row
 * @property {string} word
 * @property {"target" | "draft"} model
 * @property {HTMLElement[]} cells
 * @property {Cache | null} cache
 * @property {Cache | null} other
 * @property {number} first the position of its first cell
 * @property {HTMLElement} root
 * @property {HTMLElement} more
 * @property {HTMLElement} box
 * @property {HTMLElement} counts
 */

const CELLS = { wide: 24, narrow: 10 };
const STATES = ["held", "appended", "rolled", "missing"];

/**
 * `move(standing)` follows the replay; `whole(round)` shows a round as it ended.
 * @param {Lane} lane
 * @returns {CacheStrip}
 */
export function makeCache(lane) {
  const heading = el("h4");
  const line = el("p.sv-note");
  const key = STATES.map((state) =>
    el("li", null, el("span.sv-cell", { "data-state": state, "aria-hidden": "true" }), WORDS[`cache_${state}`]),
  );
  // made once: a replay fills them many times a second
  const rows = [makeRow("cache_target", "target"), makeRow("cache_draft", "draft")];
  const boxes = rows.map(({ root }) => root);
  const header = el("header", null, heading, el("ul", null, key));
  const root = el("section.sv-cache", null, header, el("div.sv-cache-rows", null, boxes), line);
  /** @type {Round | null} */
  let drawn = null;
  let shown = "";

  function draw(/** @type {Round} */ round) {
    drawn = round;
    const { target_cache: target, draft_cache: draft } = round;
    root.hidden = !target; // an engine that does not tell
    if (!target) return;
    const end = Math.max(target.peak, target.after, draft ? Math.max(draft.peak, draft.after) : 0);
    const count = root.clientWidth < 560 ? CELLS.narrow : CELLS.wide;
    lay(rows[0], target, null, end, count, readTokens(lane, round));
    lay(rows[1], draft, target, end, count, []);
    setText(heading, plain("cache_title", { round: round.index + 1 }));
  }

  function show(/** @type {Round} */ round, /** @type {Phase} */ phase) {
    const wanted = round.index + phase;
    if (shown === wanted) return;
    shown = wanted;
    if (drawn !== round) draw(round);
    for (const row of rows) fillRow(row, phase);
    setText(line, cacheLine(round, phase));
  }
  return { root, move: ({ round, phase }) => show(round, phase), whole: (round) => show(round, "emit") };
}

/** @param {string} word @param {"target" | "draft"} model @returns {Row} */
function makeRow(word, model) {
  const more = el("span.sv-cache-more");
  const box = el("span.sv-cells");
  const counts = el("span.sv-cache-counts");
  const name = el("span.sv-cache-name", null, WORDS[word]);
  const root = el("div.sv-cache-row", { "data-model": model, role: "img" }, name, more, box, counts);
  return { word, model, cells: [], cache: null, other: null, first: 0, root, more, box, counts };
}

/**
 * Which positions a row shows: the last `shown` up to `end`. Without a cache there is no row.
 * @param {Row} row @param {Cache | null} cache @param {Cache | null} other
 * @param {number} end @param {number} shown @param {Token[]} tokens
 */
function lay(row, cache, other, end, shown, tokens) {
  Object.assign(row, { cache, other, first: Math.max(0, end - shown) });
  row.root.hidden = !cache;
  const count = end - row.first;
  while (row.cells.length < count) {
    const cell = el("span.sv-cell");
    row.cells.push(cell);
    row.box.append(cell);
  }
  for (const [i, cell] of row.cells.entries()) {
    const at = row.first + i;
    const there = i < count && tokens[at];
    const name = there ? plain("cache_cell", { at: at + 1, text: spoken(there.text) }) : "";
    if (cell.hidden !== i >= count) cell.hidden = i >= count;
    if (cell.title !== name) cell.title = name;
  }
  setText(row.more, row.first ? plain("cache_more", { n: row.first }) : "");
}

/** @param {Row} row @param {Phase} phase */
function fillRow({ root, word, model, cache, other, first, cells, counts }, phase) {
  if (!cache) return;
  const grown = model === "draft" || phase !== "draft";
  const emitted = phase === "emit";
  for (const [i, cell] of cells.entries()) {
    const state = cell.hidden ? "" : cellState(first + i, cache, grown, emitted, other);
    if (cell.dataset.state !== state) cell.dataset.state = state;
  }
  const steps = [cache.before, ...(grown ? [cache.peak] : []), ...(emitted ? [cache.after] : [])];
  setText(counts, steps.join(" → "));
  root.setAttribute("aria-label", plain("cache_row", { model: WORDS[word], steps: steps.join(", ") }));
}
