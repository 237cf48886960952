// The KV caches of both models in one round: the last positions as cells, what the pass appended, and what was rolled
// back, or of a tree gathered.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { speechText } from "../shared/speech.js";
import { WORDS, wordOf } from "../shared/words.js";
import { branches } from "../trace/tree.js";
import { cacheLine, cellState, gatheredPlaces, stateCell } from "./cells.js";

/** @import { Cache, Phase, Round, Token } from "../shared/types.js" */
/** @typedef {ReturnType<typeof makeRow>} CacheRow */

const CELLS = { wide: 20, narrow: 10 }; // with how many stand before them, in one line
const WIDE = 560; // px
const CELLS_BEFORE = 3; // before a block, however long that is
const POSITIONS = ["held", "appended", "rolled", "missing"];
const STATE = ["state", "copy", "again", "undone"];

/** @param {boolean} states the target has layers that keep a state */
export function makeCaches(states) {
  const line = el("p.sv-note");
  const key = [...POSITIONS, ...(states ? STATE : [])].map((state) =>
    el("li", null, el("span.sv-cell", { "data-state": state, "aria-hidden": "true" }), wordOf(`cache_${state}`)),
  );
  // made once: a replay fills them many times a second
  const target = makeRow("cache_target", "target");
  const draft = makeRow("cache_draft", "draft");
  const state = states ? makeRow("cache_state", "state") : null;
  const rows = [target, ...(state ? [state] : []), draft];
  const boxes = rows.map(({ root }) => root);
  const header = el("header.sv-flow", null, el("h4", null, WORDS.cache_title), el("ul.sv-flow", null, key));
  const root = el("section.sv-cache", null, header, el("div.sv-cache-rows", null, boxes), line);
  let cellsPerLine = CELLS.narrow;
  /** @type {{ round: Round, read: Token[], phase: Phase } | null} */
  let current = null;

  /** @param {Round} round @param {Token[]} read what the target has read, by position */
  function draw(round, read) {
    const { target_cache: cache, draft_cache: draftCache } = round;
    current = null;
    root.hidden = !cache; // an engine that does not tell
    if (!cache) return;
    const end = Math.max(cache.peak, cache.after, draftCache?.peak ?? 0, draftCache?.after ?? 0);
    const count = Math.max(cellsPerLine, cache.peak - cache.before + CELLS_BEFORE);
    layOutRow(target, cache, null, end, count, read);
    if (state) layOutRow(state, cache, null, end, count, read);
    layOutRow(draft, draftCache, cache, end, count, []);
    target.gathered = branches(round) ? gatheredPlaces(round) : null;
    current = { round, read, phase: "draft" };
  }

  /** @param {Round} round @param {Phase} phase */
  function show(round, phase) {
    for (const row of rows) fillRow(row, phase);
    setText(line, cacheLine(round, phase, states));
    if (current) current.phase = phase;
  }

  // to ask for the width while a round is drawn would lay the whole page out once more
  new ResizeObserver(() => {
    const fits = root.clientWidth < WIDE ? CELLS.narrow : CELLS.wide;
    if (fits === cellsPerLine) return;
    cellsPerLine = fits;
    if (!current) return;
    const { round, read, phase } = current;
    draw(round, read);
    show(round, phase);
  }).observe(root);

  return {
    root,
    draw,
    show,
    /** The cell of a position of the pass, 0 for the text's last token.
     * @param {Round} round @param {number | null} at */
    mark({ target_cache: cache }, at) {
      const { cells, first } = target;
      for (const [i, cell] of cells.entries())
        cell.toggleAttribute("data-marked", at !== null && cache !== null && first + i === cache.before + at);
    },
  };
}

/**
 * `gathered`: of a tree, where each position of the pass stands once the path is gathered.
 * @param {string} word @param {"target" | "state" | "draft"} model
 */
function makeRow(word, model) {
  const hiddenCount = el("span.sv-cache-more");
  const box = el("span.sv-cells");
  const counts = el("span.sv-cache-counts");
  const name = el("span.sv-cache-name", null, wordOf(word));
  const root = el("div.sv-cache-row.sv-flow", { "data-model": model, role: "img" }, name, hiddenCount, box, counts);
  return {
    ...{ word, model, first: 0, root, hiddenCount, box, counts },
    cells: /** @type {HTMLElement[]} */ ([]),
    cache: /** @type {Cache | null} */ (null),
    other: /** @type {Cache | null} */ (null),
    gathered: /** @type {number[] | null} */ (null),
  };
}

/**
 * Which positions a row shows: the last `cellCount` up to `end`. Without a cache there is no row.
 * @param {CacheRow} row @param {Cache | null} cache @param {Cache | null} other
 * @param {number} end @param {number} cellCount @param {Token[]} tokens
 */
function layOutRow(row, cache, other, end, cellCount, tokens) {
  Object.assign(row, { cache, other, first: Math.max(0, end - cellCount) });
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
    const name = there ? plain("cache_cell", { at: at + 1, text: speechText(there.text) }) : "";
    if (cell.hidden !== i >= count) cell.hidden = i >= count;
    if (cell.title !== name) cell.title = name;
  }
  setText(row.hiddenCount, row.first ? plain("cache_more", { n: row.first }) : "");
}

/** @param {CacheRow} row @param {Phase} phase */
function fillRow({ root, word, model, cache, other, first, gathered, cells, counts }, phase) {
  if (!cache) return;
  const afterPass = model === "draft" || phase !== "draft";
  const emitted = phase === "emit";
  for (const [i, cell] of cells.entries()) {
    // where a cell goes decides what it is: the rows of the path come first, then those that are forgotten
    const at = first + i - cache.before;
    const to = (emitted ? gathered?.[at] : at) ?? at;
    const place = cache.before + to;
    const here =
      model === "state" ? stateCell(place, cache, phase) : cellState(place, cache, afterPass, emitted, other);
    const state = cell.hidden ? "" : here;
    if (cell.dataset.state !== state) cell.dataset.state = state;
    const shift = String(to - at);
    if (cell.style.getPropertyValue("--shift") !== shift) cell.style.setProperty("--shift", shift);
  }
  const back = model === "state" && emitted && cache.replayed ? [cache.before] : [];
  const steps = [cache.before, ...(afterPass ? [cache.peak] : []), ...back, ...(emitted ? [cache.after] : [])];
  setText(counts, steps.join(" → "));
  root.setAttribute("aria-label", plain("cache_row", { model: wordOf(word), steps: steps.join(", ") }));
}
