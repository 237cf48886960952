// A plain sentence or two for one token: what happened to it so far and why. Each is its key among the words and what
// fills it in.

import { probability } from "../shared/numbers.js";
import { chip } from "../shared/tokens.js";

/** @import { Drafted, Emitted, LaneName, Picture, Round } from "../shared/types.js" */
/** @import { Values } from "../shared/sentences.js" */
/** @import { Known } from "./types.js" */

// two passes over the same text give p and q that differ by less: who drafts from p itself has q = p
const ROUNDING = 1e-5;

/**
 * @param {Picture} picture @param {LaneName} lane @param {Round} round
 * @param {Drafted | null} drafted @param {Emitted | null} emitted one of the two is there
 * @param {Known} known how much of it has happened
 * @returns {[string, Values][]}
 */
export function explain(picture, lane, round, drafted, emitted, known) {
  const { greedy, verifier, K } = picture.header.config;
  const suffix = greedy ? "_greedy" : verifier === "match" ? "_match" : "";
  const rejected = round.drafted.find((d) => d.verdict === "rejected");
  const y = rejected ? chip(rejected.token) : null;
  if (drafted && known === "drafted") return [[`draft_only${greedy ? suffix : ""}`, sizes(drafted)]];
  if (drafted && known === "checked") {
    const rule = suffix || (verifier === "rejection" ? "" : "_alone");
    return [[`checked${rule}`, sizes(drafted)]];
  }
  if (drafted) return decided(drafted, round, suffix, y, known);
  if (!emitted) throw new Error("a token was neither drafted nor emitted");
  const { role, token, u } = emitted;
  const undrafted = lane === "speculative" && K ? "_undrafted" : "";
  const key = role === "plain" ? role + undrafted + (greedy ? suffix : "") : role + suffix;
  return [[key, { x: chip(token), y, u: probability(u) }]];
}

/** @param {Drafted} drafted @returns {Values} */
const sizes = ({ token, p, q, ratio }) => ({
  x: chip(token),
  p: probability(p),
  q: probability(q),
  ratio: probability(ratio),
});

/**
 * @param {Drafted} drafted @param {Round} round @param {string} suffix @param {HTMLElement | null} y what was rejected
 * @param {Known} known
 * @returns {[string, Values][]}
 */
function decided(drafted, round, suffix, y, known) {
  const values = { ...sizes(drafted), u: probability(drafted.u) };
  if (drafted.verdict === "unexamined") return [[y ? "unexamined" : "unexamined_ended", { ...values, y }]];
  if (drafted.verdict === "accepted") {
    if (suffix) return [[`kept${suffix}`, values]];
    return [[(drafted.ratio ?? 0) >= 1 - ROUNDING ? "kept_sure" : "kept_lucky", values]];
  }
  const after = round.emitted.find((e) => e.role === "corrected");
  if (!after) return [["rejected_last", values]];
  const replaced = { ...values, y: chip(after.token) };
  if (suffix) return [[`rejected${suffix}`, replaced]];
  return [
    ["rejected", values],
    ...(known === "out" ? /** @type {[string, Values][]} */ ([["replaced", replaced]]) : []),
  ];
}
