// The KV caches of both models in one round: the last positions as cells, what the pass appended, and what was rolled
// back, or of a tree gathered.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { spoken } from "../shared/spoken.js";
import { WORDS, wordOf } from "../shared/words.js";
import { branches } from "../trace/tree.js";
import { cacheLine, cellState, gatheredPlaces } from "./cells.js";

/** @import { Cache, Phase, Round, Token } from "../shared/types.js" */
/** @import { CacheRow } from "./types.js" */

const CELLS = { wide: 20, narrow: 10 }; // with how many stand before them, in one line
const WIDE = 560; // px
const HELD = 3; // before a block, however long that is
const STATES = ["held", "appended", "rolled", "missing"];

export function makeCaches() {
  const line = el("p.sv-note");
  const key = STATES.map((state) =>
    el("li", null, el("span.sv-cell", { "data-state": state, "aria-hidden": "true" }), wordOf(`cache_${state}`)),
  );
  // made once: a replay fills them many times a second
  const rows = [makeRow("cache_target", "target"), makeRow("cache_draft", "draft")];
  const boxes = rows.map(({ root }) => root);
  const header = el("header", null, el("h4", null, WORDS.cache_title), el("ul", null, key));
  const root = el("section.sv-cache", null, header, el("div.sv-cache-rows", null, boxes), line);
  let most = CELLS.narrow;
  /** @type {{ round: Round, read: Token[], phase: Phase } | null} */
  let drawn = null;

  /** @param {Round} round @param {Token[]} read what the target has read, by position */
  function draw(round, read) {
    const { target_cache: target, draft_cache: draft } = round;
    drawn = null;
    root.hidden = !target; // an engine that does not tell
    if (!target) return;
    const end = Math.max(target.peak, target.after, draft ? Math.max(draft.peak, draft.after) : 0);
    const count = Math.max(most, target.peak - target.before + HELD);
    lay(rows[0], target, null, end, count, read);
    lay(rows[1], draft, target, end, count, []);
    rows[0].gathered = branches(round) ? gatheredPlaces(round) : null;
    drawn = { round, read, phase: "draft" };
  }

  /** @param {Round} round @param {Phase} phase */
  function show(round, phase) {
    for (const row of rows) fillRow(row, phase);
    setText(line, cacheLine(round, phase));
    if (drawn) drawn.phase = phase;
  }

  // to ask for the width while a round is drawn would lay the whole page out once more
  new ResizeObserver(() => {
    const fits = root.clientWidth < WIDE ? CELLS.narrow : CELLS.wide;
    if (fits === most) return;
    most = fits;
    if (!drawn) return;
    const { round, read, phase } = drawn;
    draw(round, read);
    show(round, phase);
  }).observe(root);

  return {
    root,
    draw,
    show,
    /** The cell of a position of the pass, 0 for the text's last token.
     * @param {Round} round @param {number | null} at */
    mark({ target_cache: target }, at) {
      const { cells, first } = rows[0];
      for (const [i, cell] of cells.entries())
        cell.toggleAttribute("data-marked", at !== null && target !== null && first + i === target.before + at);
    },
  };
}

/** @param {string} word @param {"target" | "draft"} model @returns {CacheRow} */
function makeRow(word, model) {
  const more = el("span.sv-cache-more");
  const box = el("span.sv-cells");
  const counts = el("span.sv-cache-counts");
  const name = el("span.sv-cache-name", null, wordOf(word));
  const root = el("div.sv-cache-row", { "data-model": model, role: "img" }, name, more, box, counts);
  return { word, model, cells: [], cache: null, other: null, first: 0, gathered: null, root, more, box, counts };
}

/**
 * Which positions a row shows: the last `shown` up to `end`. Without a cache there is no row.
 * @param {CacheRow} row @param {Cache | null} cache @param {Cache | null} other
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
  row.box.toggleAttribute("data-dense", count > CELLS.wide + 8);
  for (const [i, cell] of row.cells.entries()) {
    const at = row.first + i;
    const there = i < count && tokens[at];
    const name = there ? plain("cache_cell", { at: at + 1, text: spoken(there.text) }) : "";
    if (cell.hidden !== i >= count) cell.hidden = i >= count;
    if (cell.title !== name) cell.title = name;
  }
  setText(row.more, row.first ? plain("cache_more", { n: row.first }) : "");
}

/** @param {CacheRow} row @param {Phase} phase */
function fillRow({ root, word, model, cache, other, first, gathered, cells, counts }, phase) {
  if (!cache) return;
  const grown = model === "draft" || phase !== "draft";
  const emitted = phase === "emit";
  for (const [i, cell] of cells.entries()) {
    // where a cell goes decides what it is: the rows of the path come first, then those that are forgotten
    const at = first + i - cache.before;
    const to = (emitted ? gathered?.[at] : at) ?? at;
    const state = cell.hidden ? "" : cellState(cache.before + to, cache, grown, emitted, other);
    if (cell.dataset.state !== state) cell.dataset.state = state;
    const shift = String(to - at);
    if (cell.style.getPropertyValue("--shift") !== shift) cell.style.setProperty("--shift", shift);
  }
  const steps = [cache.before, ...(grown ? [cache.peak] : []), ...(emitted ? [cache.after] : [])];
  setText(counts, steps.join(" → "));
  root.setAttribute("aria-label", plain("cache_row", { model: wordOf(word), steps: steps.join(", ") }));
}
