// The tree of a round: its tokens from left to right by depth, the kept path standing and the rest faded.

import { el } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { spoken, visible } from "../shared/tokens.js";
import { laidOut } from "../shared/tree.js";
import { ROLES, WORDS } from "../shared/words.js";

/** @import { Drafted, Round } from "../shared/types.js" */

const COLUMN = 104;
const ROW = 26;
const BOX = { width: 86, height: 20 };
const LETTERS = 9;

/**
 * @param {Round} round
 * @param {boolean} out all of it is decided; else every token is still a draft
 * @param {Drafted | null} [chosen]
 */
export function treePanel(round, out, chosen = null) {
  const { drafted } = round;
  const { spots, rows, depth } = laidOut(drafted);
  const width = depth * COLUMN + 30;
  const height = rows * ROW + 8;
  const kept = drafted.filter(({ verdict }) => out && verdict === "accepted").map(({ token }) => spoken(token.text));
  const path = kept.join(", ") || WORDS.tree_none;
  const label = plain("tree_label", { n: drafted.length, path });
  const svg = shape("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": label });
  svg.classList.add("sv-tree");
  const roots = drafted.flatMap(({ parent }, i) => (parent === -1 ? [spots[i].y] : []));
  const middle = (roots[0] + roots[roots.length - 1]) / 2;
  const left = (/** @type {number} */ x) => 24 + (x - 1) * COLUMN;
  const top = (/** @type {number} */ y) => 4 + y * ROW + BOX.height / 2;
  svg.append(shape("circle", { cx: 7, cy: top(middle), r: 4, class: "sv-tree-root" }));
  for (const [i, one] of drafted.entries()) {
    const { x, y } = spots[i];
    const parent = one.parent ?? -1;
    const from = parent < 0 ? { x: 7, y: middle } : { x: left(spots[parent].x) + BOX.width, y: spots[parent].y };
    const d = `M${from.x} ${top(from.y)}L${left(x)} ${top(y)}`;
    svg.append(shape("path", { d, class: "sv-tree-line", "data-role": roleOf(one, out) }));
  }
  for (const [i, one] of drafted.entries())
    svg.append(node(one, left(spots[i].x), top(spots[i].y), out, one === chosen));
  const note = plain("tree_note", { n: drafted.length, depth });
  return el(
    "section.sv-panel",
    null,
    el("h4", null, WORDS.tree_title),
    el("div.sv-tree-box", { tabindex: 0 }, svg),
    el("p.sv-note", null, note),
  );
}

/** @param {Drafted} drafted @param {boolean} out */
const roleOf = ({ verdict }, out) => (out ? verdict : "drafted");

/** @param {Drafted} drafted @param {number} x @param {number} y @param {boolean} out @param {boolean} chosen */
function node(drafted, x, y, out, chosen) {
  const role = roleOf(drafted, out);
  const { word, glyph } = ROLES[role];
  const text = visible(drafted.token.text);
  const short = text.length > LETTERS ? `${text.slice(0, LETTERS - 1)}…` : text;
  const values = { x: spoken(drafted.token.text), depth: drafted.depth ?? 0, rank: (drafted.rank ?? 0) + 1, word };
  return shape(
    "g",
    { class: "sv-tree-node", "data-role": role, "data-chosen": chosen ? "" : null },
    shape("title", {}, plain("tree_node", values)),
    shape("rect", { x, y: y - BOX.height / 2, ...BOX, rx: 4 }),
    shape("text", { x: x + 6, y: y + 4 }, `${out && glyph ? `${glyph} ` : ""}${short}`),
  );
}
