// What u decides: below p/q a drafted token stays, else it goes.

import { limitOf } from "../shared/limit.js";

/** @import { Config, Drafted, Round } from "../shared/types.js" */

/**
 * Whether a token after this one keeps it, whatever its own u: under block verification the longest beginning stays.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
export function keptLater(drafted, round, config) {
  if (config.verifier !== "block") return false;
  const after = round.drafted.slice(round.drafted.indexOf(drafted) + 1);
  return after.some((later) => later.u !== null && later.u < limitOf(later, config));
}

/**
 * Whether the token before this one stands only because this one passed, as block verification has it.
 * @param {Drafted} drafted @param {Round} round @param {Pick<Config, "verifier" | "theta">} config
 */
export function keepsEarlier(drafted, round, config) {
  const before = round.drafted[round.drafted.indexOf(drafted) - 1];
  return config.verifier === "block" && before?.u != null && before.u >= limitOf(before, config);
}

/**
 * What another u would have done, as the key of its sentence.
 * @param {number} u @param {Drafted} drafted
 * @param {number | null} after how many tokens were drafted after it; null in a tree
 * @param {number} limit what u must be below @param {boolean} later a token after it keeps it all the same
 * @param {boolean} back the token before it passed only with it
 */
export function whatIf(u, drafted, after, limit = limitOf(drafted), later = false, back = false) {
  const kept = later || u < limit; // strictly below: u = 0 keeps nothing that p(x) = 0 forbids
  const same = kept === (drafted.verdict === "accepted");
  const chain = after && (after > 1 ? "try_rejected" : "try_rejected_one");
  const gone = after === null ? "try_rejected_tree" : chain || "try_rejected_end";
  let key = kept ? "try_kept" : back ? "try_rejected_back" : gone;
  if (same && !kept) key = "try_same_rejected";
  else if (same && u >= limit) key = "try_same_later";
  else if (same) key = limit >= 1 ? "try_same_sure" : "try_same_kept";
  return { kept, same, key };
}
