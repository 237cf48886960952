// What u decides: below p/q a drafted token stays, else it goes. Also where words have room on the scale that u stands
// on.

/** @import { Drafted } from "../shared/types.js" */

const WORD = 0.15; // of the scale: the room that a word needs
const NEAR = 0.03;

/** p/q; where q is 0 any u keeps the token. @param {Drafted} drafted */
export const limitOf = ({ ratio }) => ratio ?? Number.POSITIVE_INFINITY;

/**
 * What another u would have done, as the key of its sentence.
 * @param {number} u @param {Drafted} drafted @param {number} after how many tokens were drafted after it
 */
export function whatIf(u, drafted, after) {
  const limit = limitOf(drafted);
  const kept = u < limit; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
  const same = kept === (drafted.verdict === "accepted");
  let key = kept ? "try_kept" : after ? "try_rejected" : "try_rejected_end";
  if (same && !kept) key = "try_same_rejected";
  else if (same) key = limit >= 1 ? "try_same_sure" : "try_same_kept";
  return { kept, same, key };
}

/**
 * The end of the band [from, to] at which its word has room beside the marks: its own end, else the other, else "none".
 * @param {number} from @param {number} to @param {number[]} marks @param {"left" | "right"} own
 */
export function roomFor(from, to, marks, own) {
  const inside = marks.filter((mark) => mark > from - NEAR && mark < to + NEAR);
  const room = { left: Math.min(to, ...inside) - from, right: to - Math.max(from, ...inside) };
  const other = own === "left" ? "right" : "left";
  if (room[own] >= WORD) return own;
  return room[other] >= WORD ? other : "none";
}
