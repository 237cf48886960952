// Where the tokens of a round stand: columns by depth, rows by a tidy tree, and a free place for the token after them.
// A round that only drafts has no such token.

import { children, endOfPath } from "../trace/tree.js";
import { hierarchy, tree } from "./vendor/d3-hierarchy.js";

/** @import { Round } from "../shared/types.js" */
/** @import { Layout, Spot } from "./types.js" */

const BOX_WIDTH = 0.87; // of a column: the rest is for lines
const HALF_WIDTH = 0.4; // of a column, where two stand abreast
const MOST_ROWS = 32; // readable from the back of a room: of more, tokens without children stand two abreast

/**
 * `spots[0]` is the last token of the text, `spots[i + 1]` drafted token i. `order`: the same as an outline is read.
 * One more row and column than the tokens take: what comes out at the end finds room, and tells nothing before.
 * @param {Pick<Round, "drafted" | "emitted">} round @returns {Layout}
 */
export function layoutOf(round) {
  const below = children(round.drafted);
  const lastRow = (/** @type {Spot[]} */ spots) => Math.max(...spots.map(({ y }) => y));
  let { spots, order } = rowsOf(below, false);
  if (lastRow(spots) > MOST_ROWS) ({ spots, order } = rowsOf(below, true));
  const extra = extraSpot(round, spots, below);
  const room = round.emitted.length ? 2 : 1;
  const columns = Math.max(...spots.map(({ depth }) => depth)) + room;
  return { spots, order, rows: lastRow(spots) + room, columns, extra };
}

/**
 * The rows of a tidy tree, from 0, and its tokens as an outline is read.
 * @param {number[][]} below @param {boolean} abreast
 */
function rowsOf(below, abreast) {
  const leaf = (/** @type {number} */ i) => !below[i + 1].length;
  /** What shares a row: one token, or two next to each other that have no children. @param {number[]} children */
  const shared = (children) => {
    /** @type {number[][]} */
    const rows = [];
    for (const i of children) {
      const before = rows.at(-1);
      if (abreast && leaf(i) && before?.length === 1 && leaf(before[0])) before.push(i);
      else rows.push([i]);
    }
    return rows;
  };
  const root = hierarchy([-1], ([i]) => shared(below[i + 1]));
  tree()
    .nodeSize([1, 1])
    .separation(() => 1)(root);
  /** @type {Spot[]} */
  const spots = [];
  /** @type {number[]} */
  const order = [];
  root.eachBefore(({ data, depth, x: y }) => {
    const wide = data.length > 1 ? HALF_WIDTH : BOX_WIDTH;
    for (const [k, i] of data.entries()) {
      spots[i + 1] = { x: depth + k * (BOX_WIDTH - HALF_WIDTH), y, depth, wide };
      order.push(i + 1);
    }
  });
  const top = Math.min(...spots.map(({ y }) => y));
  for (const spot of spots) spot.y -= top;
  return { spots, order };
}

/**
 * A correction stands under the tokens that it replaces, a bonus behind the path that it follows.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Spot[]} spots @param {number[][]} below
 * @returns {Spot | null}
 */
function extraSpot(round, spots, below) {
  if (!round.emitted.some(({ role }) => role !== "accepted")) return null;
  const end = endOfPath(round.drafted) + 1;
  const x = spots[end].depth + 1;
  const last = below[end].at(-1);
  const wanted = last === undefined ? spots[end].y : spots[last + 1].y + 1;
  const occupied = spots.filter(({ depth }) => depth === x).map(({ y }) => y);
  const free = (/** @type {number} */ y) => y >= 0 && occupied.every((other) => Math.abs(other - y) >= 1);
  const near = [wanted, ...occupied.flatMap((y) => [y - 1, y + 1])].filter(free);
  const y = near.reduce((best, one) => (Math.abs(one - wanted) < Math.abs(best - wanted) ? one : best));
  return { x, y, depth: x, wide: BOX_WIDTH };
}
