// The KV caches of both models in one round: the last positions as cells, what the pass appended, and what was rolled
// back, or of a tree gathered; and the state of layers that keep no positions: where it stands, its copy, what it reads
// again. And the mask of its pass.

import { branches, parents, path } from "../trace/events.js";
import { el, setText, shape, speechText } from "./dom.js";
import { plain, WORDS, wordOf } from "./words.js";

/** @import { Cache, NodeLook, Phase, Round, Token } from "../shared/types.js" */

/** What cell `at` of a cache is in a phase: "held", "appended", "rolled" back, "missing" (the draft never read it), ""
 * (not there). A draft's cache grows while it drafts, the target's in its one pass; both roll back when the round
 * emits. @param {number} at @param {Cache} cache @param {boolean} afterPass @param {boolean} emitted
 * @param {Cache | null} other the target's, beside a draft's */
export function cellState(at, { before, peak, after }, afterPass, emitted, other) {
  if (at < (emitted ? Math.min(before, after) : before)) return "held";
  if (!emitted) return afterPass && at < peak ? "appended" : "";
  if (at < after) return "appended";
  if (at < Math.max(peak, before)) return "rolled";
  return other && at < other.after ? "missing" : "";
}

/** Where the positions of a pass stand once the rows of the path are gathered: theirs first, then the forgotten ones.
 * Position 0 is the last token of the text. @param {Pick<Round, "drafted">} round */
export function gatheredPlaces({ drafted }) {
  const pathPositions = [0, ...path(drafted).map((i) => i + 1)];
  const otherPositions = drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [] : [i + 1]));
  /** @type {number[]} */
  const places = [];
  for (const [place, at] of [...pathPositions, ...otherPositions].entries()) places[at] = place;
  return places;
}

/** What happens to the caches in a phase of a round. `states`: the target has layers that keep a state.
 * @param {Round} round @param {Phase} phase @param {boolean} [states] */
export function cacheLine(round, phase, states = false) {
  const { target_cache: target, draft_cache: draft, drafted } = round;
  if (!target) return "";
  if (phase === "draft") return WORDS[draft ? "cache_drafting" : "cache_waits"];
  if (phase !== "emit") {
    const pass = drafted.length ? plain("cache_pass", { n: target.peak - target.before }) : WORDS.cache_pass_one;
    return states ? `${pass} ${WORDS.cache_copied}` : pass;
  }
  const rolledBack = target.peak - target.after;
  const lacks = draft ? target.after - draft.after : 0;
  const parts = [];
  if (rolledBack > 0 && branches(round))
    parts.push(plain("cache_gathered", { n: rolledBack, count: target.after - target.before }));
  else if (rolledBack > 0) parts.push(plain(rolledBack > 1 ? "cache_gone" : "cache_gone_one", { n: rolledBack }));
  else parts.push(drafted.length ? WORDS.cache_kept : WORDS.cache_plain);
  const { replayed = 0, window = null } = target;
  if (replayed) parts.push(plain("cache_replayed", { n: replayed }));
  if (window) parts.push(plain("cache_window", { n: window }));
  if (lacks > 0 && !drafted.length) parts.push(WORDS.cache_behind);
  else if (draft && lacks > 0) {
    // a model lacks the last token of a block that was accepted; a head, which reads the target's features, all that the
    // round gave: its cache ends where the target's was before the pass
    const forgets = draft.peak > draft.after ? `${WORDS.cache_forgets} ` : "";
    parts.push(draft.after > target.before ? WORDS.cache_unread : forgets + plain("cache_lacks", { n: lacks }));
  }
  return parts.join(" ");
}

/** What cell `at` of a state's row is in a phase. A state stands at one position, that of the last token it read:
 * "state"; before the block it is copied: "copy". Of a rejected block it goes back there, "undone" where it stood, and
 * reads what was kept "again". @param {number} at @param {Cache} cache @param {Phase} phase */
export function stateCell(at, { before, peak, after, replayed = 0 }, phase) {
  if (phase === "draft") return at === before - 1 ? "state" : "";
  const copied = at === before - 1 ? "copy" : "";
  if (phase !== "emit") return at === peak - 1 ? "state" : copied;
  if (at === after - 1) return "state";
  if (after === peak) return "";
  if (replayed && at >= before && at < after) return "again";
  return at === peak - 1 ? "undone" : copied;
}

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

/** `gathered`: of a tree, where each position of the pass stands once the path is gathered. @param {string} word
 * @param {"target" | "state" | "draft"} model */
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

/** Which positions a row shows: the last `cellCount` up to `end`. Without a cache there is no row.
 * @param {CacheRow} row @param {Cache | null} cache @param {Cache | null} other @param {number} end
 * @param {number} cellCount @param {Token[]} tokens */
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
    const here = model === "state" ? stateCell(place, cache, phase) : cellState(place, cache, afterPass, emitted, other);
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

// The mask of a round's pass: a row for each position that is read, filled where it sees another. One stop of the Tab
// key; arrows go from row to row.

const TEXT = 2; // columns for all of the text before

/** What position `at` sees of the block: those before it on its way from the text, then itself. 0 is the text's last
 * token. @param {Pick<Round, "drafted">} round @param {number} at */
export function visiblePositions(round, at) {
  const before = parents(round.drafted);
  const way = [at];
  while (way[0] > 0) way.unshift(before[way[0] - 1] + 1);
  return way;
}

/** It is made once and drawn for each round, so that it keeps the focus and stays folded as it was left.
 * @param {(at: number | null) => void} mark @param {(at: number) => void} choose */
export function makeMask(mark, choose) {
  /** @type {(Token | null)[]} */
  let tokens = [];
  /** @type {number[][]} */
  let ways = [];
  /** @type {SVGPathElement[]} */
  let rows = [];
  let row = 0;
  const band = shape("rect", { class: "sv-mask-band", x: 0, height: 1, y: -2 });
  const svg = shape("svg", { class: "sv-mask-cells" });
  const box = el("div.sv-mask-box", { role: "img", tabindex: 0, "aria-label": WORDS.mask_label });
  box.append(svg);
  const note = el("p.sv-note", { "aria-live": "polite" }, WORDS.mask_hint);
  const wide = innerWidth > 760;
  const root = el("details.sv-mask", { open: wide ? "" : null }, el("summary", null, WORDS.mask_title), box, note);
  const clampRow = (/** @type {number} */ at) => Math.max(0, Math.min(tokens.length - 1, at));
  /** The row under a pointer. @param {PointerEvent | MouseEvent} event */
  const rowAt = ({ clientY }) => {
    const { top, height } = svg.getBoundingClientRect();
    return clampRow(Math.floor(((clientY - top) / height) * tokens.length));
  };
  box.addEventListener("pointermove", (event) => mark(rowAt(event)));
  box.addEventListener("pointerleave", () => mark(null));
  box.addEventListener("click", (event) => choose(rowAt(event)));
  box.addEventListener("focus", () => mark(row));
  box.addEventListener("blur", () => mark(null));
  box.addEventListener("keydown", (event) => {
    const way = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (way) mark(clampRow(row + way));
    else if (event.key === "Enter") choose(row);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  return {
    root,
    /** @param {Round} round @param {(Token | null)[]} read by position */
    draw(round, read) {
      tokens = read;
      row = clampRow(row);
      const n = tokens.length;
      ways = tokens.map((_, at) => visiblePositions(round, at));
      rows = ways.map((way, at) => {
        const cells = way.map((column) => `M${column + TEXT} ${at}h.9v.9h-.9z`).join("");
        return shape("path", { d: `M0 ${at}h${TEXT - 0.1}v.9h-${TEXT - 0.1}z${cells}` });
      });
      band.setAttribute("width", String(n + TEXT));
      svg.setAttribute("viewBox", `0 0 ${n + TEXT} ${n}`);
      svg.replaceChildren(band, ...rows);
      box.style.setProperty("--n", String(n));
      this.mark(null);
    },
    /** @param {NodeLook[]} looks by position */
    show(looks) {
      for (const [at, look] of looks.entries()) if (rows[at].dataset.look !== look) rows[at].dataset.look = look;
    },
    /** @param {number | null} at */
    mark(at) {
      if (at !== null) row = at;
      band.setAttribute("y", String(at ?? -2));
      const name = (/** @type {number} */ one) => speechText(tokens[one]?.text ?? "");
      const others = at === null ? [] : ways[at].slice(0, -1).map(name);
      const key = at === null ? "mask_hint" : others.length ? "mask_sees" : "mask_sees_text";
      setText(note, plain(key, { x: at === null ? "" : name(at), others: others.join(" ") }));
    },
  };
}
