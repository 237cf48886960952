// The state of layers that keep no positions, in one round: where it stands, its copy, and what it reads again.

/** @import { Cache, Phase } from "../shared/types.js" */

/**
 * What cell `at` of a state's row is in a phase. A state stands at one position, that of the last token it read:
 * "state"; before the block it is copied: "copy". Of a rejected block it goes back there, "undone" where it stood, and
 * reads what was kept "again".
 * @param {number} at @param {Cache} cache @param {Phase} phase
 */
export function stateCell(at, { before, peak, after, replayed = 0 }, phase) {
  if (phase === "draft") return at === before - 1 ? "state" : "";
  const copied = at === before - 1 ? "copy" : "";
  if (phase !== "emit") return at === peak - 1 ? "state" : copied;
  if (at === after - 1) return "state";
  if (after === peak) return "";
  if (replayed && at >= before && at < after) return "again";
  return at === peak - 1 ? "undone" : copied;
}
