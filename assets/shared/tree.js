// A drafted block that branches, as a picture holds it: the tokens that stand in the text come first, then the others.

/** @import { Drafted, Round } from "./types.js" */

/** Whether a round drafted a tree. @param {Round} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => parent !== undefined);

/** The token that is replaced at the end of a round: of siblings the last that was rejected. @param {Round} round */
export function lastRejected(round) {
  const { drafted } = round;
  if (!branches(round)) return drafted.find(({ verdict }) => verdict === "rejected") || null;
  const end = drafted.findLastIndex(({ verdict }) => verdict === "accepted");
  return drafted.findLast(({ verdict, parent }) => verdict === "rejected" && parent === end) || null;
}

/**
 * Where each token of a tree stands: `x` its depth, `y` its row. A leaf has a row of its own, a token with children is
 * in the middle of them; the kept path and lower ranks come first.
 * @param {Drafted[]} drafted
 * @returns {{ spots: { x: number, y: number }[], rows: number, depth: number }}
 */
export function laidOut(drafted) {
  /** @type {number[][]} */
  const below = Array.from({ length: drafted.length + 1 }, () => []);
  for (const [i, { parent }] of drafted.entries()) below[(parent ?? -1) + 1].push(i);
  for (const some of below) some.sort((a, b) => (drafted[a].rank ?? 0) - (drafted[b].rank ?? 0));
  const spots = drafted.map(({ depth }) => ({ x: depth ?? 1, y: 0 }));
  let rows = 0;
  const place = (/** @type {number} */ i) => {
    const own = below[i + 1];
    for (const child of own) place(child);
    spots[i].y = own.length ? (spots[own[0]].y + spots[own[own.length - 1]].y) / 2 : rows++;
  };
  for (const first of below[0]) place(first);
  return { spots, rows, depth: Math.max(0, ...spots.map(({ x }) => x)) };
}
