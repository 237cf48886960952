// How a round looks at a moment of the replay: each of its tokens, how far u has fallen, and what came out.

import { NEAR_MS } from "../shared/clock.js";
import { momentsOf } from "../shared/tree.js";
import { examinedNodes } from "../trace/tree.js";

/** @import { Phase, Round } from "../shared/types.js" */
/** @import { Look, Moment } from "./types.js" */

/** The phase that a round is in. @param {Round} round @param {number} t @returns {Phase} */
export function phaseAt(round, t) {
  if (t + NEAR_MS < round.drafted_at && round.drafted.length) return "draft";
  if (t + NEAR_MS >= round.decided_at) return "emit";
  return round.drafted.length && t > round.verified_at + NEAR_MS ? "decide" : "verify";
}

/**
 * A token is nothing, a draft, lit by the target's pass with all others at once, then what its verdict says. `falls`: 0
 * until the verdict before it, 1 at its own; null where no u was drawn.
 * @param {Round} round @param {number} t @returns {Moment}
 */
export function momentAt(round, t) {
  const phase = phaseAt(round, t);
  const passing = t + NEAR_MS >= round.drafted_at;
  const moments = round.drafted.map((_, i) => momentsOf(round, i));
  /** @type {Look[]} */
  const looks = round.drafted.map(({ verdict }, i) => {
    if (t + NEAR_MS < moments[i].at) return "";
    if (t + NEAR_MS >= moments[i].decided) return verdict;
    return passing ? "lit" : "drafted";
  });
  /** @type {(number | null)[]} */
  const falls = round.drafted.map(() => null);
  let from = round.verified_at;
  for (const i of examinedNodes(round.drafted)) {
    const to = moments[i].decided;
    if (round.drafted[i].u !== null) falls[i] = t + NEAR_MS >= to ? 1 : Math.max(0, (t - from) / (to - from));
    from = to;
  }
  const after = round.emitted.find(({ role }) => role !== "accepted");
  return {
    phase,
    looks,
    falls,
    checked: t + NEAR_MS >= round.verified_at,
    extra: phase === "emit" && after ? after.role : "",
  };
}
