// Where the tokens of a round stand: columns by depth, rows by a tidy tree, and a free place for the token after them.
// A round that only drafts has no such token.

import { childrenOf, endOfPath } from "../shared/tree.js";
import { hierarchy, tree } from "./vendor/d3-hierarchy.js";

/** @import { Round } from "../shared/types.js" */
/** @import { Layout, Spot } from "./types.js" */

/**
 * `spots[0]` is the last token of the text, `spots[i + 1]` drafted token i. `order`: the same as an outline is read.
 * One more row and column than the tokens take: what comes out at the end finds room, and tells nothing before.
 * @param {Pick<Round, "drafted" | "emitted">} round
 * @returns {Layout}
 */
export function laidOut(round) {
  const below = childrenOf(round);
  const root = hierarchy(-1, (i) => below[i + 1]);
  tree()
    .nodeSize([1, 1])
    .separation(() => 1)(root);
  /** @type {Spot[]} */
  const spots = [];
  /** @type {number[]} */
  const order = [];
  root.eachBefore(({ data, depth, x }) => {
    spots[data + 1] = { x: depth, y: x };
    order.push(data + 1);
  });
  const top = Math.min(...spots.map(({ y }) => y));
  for (const spot of spots) spot.y -= top;
  const extra = extraSpot(round, spots, below);
  const room = round.emitted.length ? 2 : 1;
  const rows = Math.max(...spots.map(({ y }) => y)) + room;
  const columns = Math.max(...spots.map(({ x }) => x)) + room;
  return { spots, order, rows, columns, extra };
}

/**
 * A correction stands under the tokens that it replaces, a bonus behind the path that it follows.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Spot[]} spots @param {number[][]} below
 * @returns {Spot | null}
 */
function extraSpot(round, spots, below) {
  if (!round.emitted.some(({ role }) => role !== "accepted")) return null;
  const end = endOfPath(round) + 1;
  const x = spots[end].x + 1;
  const last = below[end].at(-1);
  const wanted = last === undefined ? spots[end].y : spots[last + 1].y + 1;
  const taken = spots.filter((spot) => spot.x === x).map(({ y }) => y);
  const free = (/** @type {number} */ y) => y >= 0 && taken.every((other) => Math.abs(other - y) >= 1);
  const near = [wanted, ...taken.flatMap((y) => [y - 1, y + 1])].filter(free);
  return { x, y: near.reduce((best, y) => (Math.abs(y - wanted) < Math.abs(best - wanted) ? y : best)) };
}
