// One plain sentence for one token: what happened to it and why. Returns the words' key and what fills it in.

import { probability } from "../shared/numbers.js";
import { chip } from "../shared/tokens.js";

/** @import { Drafted, Emitted, LaneName, Picture, Round } from "../shared/types.js" */
/** @import { Values } from "../shared/sentences.js" */

// two passes over the same text give p and q that differ by less: who drafts from p itself has q = p
const ROUNDING = 1e-5;

/**
 * @param {Picture} picture @param {LaneName} lane @param {Round} round
 * @param {Drafted | null} drafted @param {Emitted | null} emitted one of the two is there
 * @returns {[string, Values]}
 */
export function explain(picture, lane, round, drafted, emitted) {
  const { greedy, verifier, K } = picture.header.config;
  const suffix = greedy ? "_greedy" : verifier === "match" ? "_match" : "";
  const rejected = round.drafted.find((d) => d.verdict === "rejected");
  const y = rejected ? chip(rejected.token) : null;
  if (drafted) return decided(drafted, round, suffix, y);
  if (!emitted) throw new Error("a token was neither drafted nor emitted");
  const { role, token, u } = emitted;
  const undrafted = lane === "speculative" && K ? "_undrafted" : "";
  const key = role === "plain" ? role + undrafted + (greedy ? suffix : "") : role + suffix;
  return [key, { x: chip(token), y, u: probability(u) }];
}

/**
 * @param {Drafted} drafted @param {Round} round @param {string} suffix @param {HTMLElement | null} y what was rejected
 * @returns {[string, Values]}
 */
function decided(drafted, round, suffix, y) {
  const x = chip(drafted.token);
  const values = { x, ratio: probability(drafted.ratio), u: probability(drafted.u) };
  if (drafted.verdict === "unexamined")
    return [y ? "unexamined" : "unexamined_ended", { x, y, p: probability(drafted.p) }];
  if (drafted.verdict === "accepted") {
    if (suffix) return [`kept${suffix}`, { x }];
    return (drafted.ratio ?? 0) >= 1 - ROUNDING ? ["kept_sure", { x }] : ["kept_lucky", values];
  }
  const after = round.emitted.find((e) => e.role === "corrected");
  return after ? [`rejected${suffix}`, { ...values, y: chip(after.token) }] : ["rejected_last", { x }];
}
