// Positions of the KV caches in one round: what became of each, and in words what happens to them; and the state of
// layers that keep no positions: where it stands, its copy, what it reads again.

import { plain } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";
import { branches, path } from "../trace/tree.js";

/** @import { Cache, Phase, Round } from "../shared/types.js" */

/**
 * What cell `at` of a cache is in a phase: "held", "appended", "rolled" back, "missing" (the draft never read it), ""
 * (not there).
 * A draft's cache grows while it drafts, the target's in its one pass; both roll back when the round emits.
 * @param {number} at @param {Cache} cache
 * @param {boolean} afterPass @param {boolean} emitted @param {Cache | null} other the target's, beside a draft's
 */
export function cellState(at, { before, peak, after }, afterPass, emitted, other) {
  if (at < (emitted ? Math.min(before, after) : before)) return "held";
  if (!emitted) return afterPass && at < peak ? "appended" : "";
  if (at < after) return "appended";
  if (at < Math.max(peak, before)) return "rolled";
  return other && at < other.after ? "missing" : "";
}

/**
 * Where the positions of a pass stand once the rows of the path are gathered: theirs first, then the forgotten ones.
 * Position 0 is the last token of the text.
 * @param {Pick<Round, "drafted">} round
 */
export function gatheredPlaces({ drafted }) {
  const pathPositions = [0, ...path(drafted).map((i) => i + 1)];
  const otherPositions = drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [] : [i + 1]));
  /** @type {number[]} */
  const places = [];
  for (const [place, at] of [...pathPositions, ...otherPositions].entries()) places[at] = place;
  return places;
}

/**
 * What happens to the caches in a phase of a round. `states`: the target has layers that keep a state.
 * @param {Round} round @param {Phase} phase @param {boolean} [states]
 */
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
  else if (draft && lacks > 0) parts.push(lackedText(draft, target.before, lacks));
  return parts.join(" ");
}

/**
 * What a draft lacks after a round in which it drafted: a model the last token of a block that was accepted; a head,
 * which reads the target's features, all that the round gave: its cache ends where the target's was `before` the pass.
 * @param {Cache} draft @param {number} before @param {number} n positions
 */
function lackedText({ peak, after }, before, n) {
  if (after > before) return WORDS.cache_unread;
  const lacks = plain("cache_lacks", { n });
  return peak > after ? `${WORDS.cache_forgets} ${lacks}` : lacks;
}

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
