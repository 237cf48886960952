// The mask of a round's pass: a row for each position that is read, filled where it sees another. One stop of the Tab
// key; arrows go from row to row.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { speechText } from "../shared/speech.js";
import { WORDS } from "../shared/words.js";
import { parents } from "../trace/tree.js";

/** @import { Round, Token } from "../shared/types.js" */
/** @import { Look } from "./types.js" */

const TEXT = 2; // columns for all of the text before

/** What position `at` sees of the block: those before it on its way from the text, then itself. 0 is the text's last
 * token. @param {Pick<Round, "drafted">} round @param {number} at */
export function visiblePositions(round, at) {
  const before = parents(round.drafted);
  const way = [at];
  while (way[0] > 0) way.unshift(before[way[0] - 1] + 1);
  return way;
}

/**
 * It is made once and drawn for each round, so that it keeps the focus and stays folded as it was left.
 * @param {(at: number | null) => void} mark @param {(at: number) => void} choose
 */
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
    /** @param {Look[]} looks by position */
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
