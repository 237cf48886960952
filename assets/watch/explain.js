// A plain sentence or two for one token: what happened to it so far and why. Each is its key among the words and what
// fills it in.

import { limitOf } from "../shared/limit.js";
import { number, probability } from "../shared/numbers.js";
import { chip } from "../shared/tokens.js";
import { lastRejected } from "../shared/tree.js";
import { WORDS } from "../shared/words.js";
import { branches } from "../trace/tree.js";

/** @import { Config, Drafted, Emitted, LaneName, Picture, Round } from "../shared/types.js" */
/** @import { Values } from "../shared/sentences.js" */
/** @import { Known } from "./types.js" */

// two passes over the same text give p and q that differ by less: who drafts from p itself has q = p
const ROUNDING = 1e-5;
const WHOLE = ["_greedy", "_match"]; // rules that have sentences of their own for every token

/**
 * @param {Picture} picture @param {LaneName} lane @param {Round} round
 * @param {Drafted | null} drafted @param {Emitted | null} emitted one of the two is there
 * @param {Known} known how much of it has happened @returns {[string, Values][]}
 */
export function explain(picture, lane, round, drafted, emitted, known) {
  const { config } = picture.header;
  const { greedy, verifier, drafting, K } = config;
  const suffix = greedy ? "_greedy" : verifier === "rejection" ? "" : `_${verifier}`;
  const rejected = lastRejected(round);
  const y = rejected ? chip(rejected.token) : null;
  if (drafted && known === "drafted")
    return [[`draft_only${greedy || drafting === "argmax" ? "_greedy" : ""}`, sizes(drafted)]];
  if (drafted && known === "checked") {
    const rule = greedy || ["match", "rejection"].includes(verifier) ? suffix : "_alone";
    return [[`checked${rule}`, sizes(drafted)]];
  }
  if (drafted) {
    const untold = !greedy && verifier === "rejection" && drafted.u === null && drafted.verdict !== "unexamined";
    if (!untold)
      return [...decided(drafted, round, config, suffix, y, known), ...optional(emitted?.forced && "forced", {})];
    const key = drafted.verdict === "accepted" ? "kept_untold" : "rejected_untold";
    return [[key, { ...sizes(drafted), engine: picture.header.engine }]];
  }
  if (!emitted) throw new Error("a token was neither drafted nor emitted");
  const { role, token, u, forced } = emitted;
  const undrafted = round.fewer === "prefill" ? "_prefill" : lane === "speculative" && K ? "_undrafted" : "";
  const own = `${role}${suffix}` in WORDS ? suffix : "";
  const after = role === "bonus" && branches(round) ? "_tree" : own;
  const key = role === "plain" ? role + undrafted + (greedy ? suffix : "") : role + after;
  const values = { x: chip(token), y, u: probability(u), engine: picture.header.engine };
  const drew = u === null ? "untold" : key === "bonus" || key === "bonus_tree" || role === "plain" ? "inverse" : "";
  return [[key, values], ...optional(!greedy && drew, values), ...optional(forced && "forced", {})];
}

/**
 * A sentence that is there or not.
 * @param {string | false | undefined} key @param {Values} values @returns {[string, Values][]}
 */
const optional = (key, values) => (key ? [[key, values]] : []);

/** @param {Drafted} drafted @returns {Values} */
const sizes = ({ token, p, q, ratio }) => ({
  x: chip(token),
  p: probability(p),
  q: probability(q),
  ratio: probability(ratio),
});

/**
 * @param {Drafted} drafted @param {Round} round @param {Config} config @param {string} suffix
 * @param {HTMLElement | null} y what was rejected @param {Known} known @returns {[string, Values][]}
 */
function decided(drafted, round, config, suffix, y, known) {
  const values = { ...sizes(drafted), ...tested(drafted, config) };
  if (drafted.void) return forbidden(drafted, round, values, known);
  if (drafted.verdict === "unexamined") {
    if (branches(round)) return [["unexamined_tree", values]];
    const key = suffix === "_block" ? "unexamined_block" : "unexamined";
    return [[y ? key : "unexamined_ended", { ...values, y }]];
  }
  if (drafted.verdict === "accepted") {
    if (suffix) return [[`kept${suffix}`, values]];
    return [[(drafted.ratio ?? 0) >= 1 - ROUNDING ? "kept_sure" : "kept_lucky", values]];
  }
  const after = round.emitted.find((e) => e.role === "corrected");
  if (branches(round) && drafted !== lastRejected(round)) return beforeSibling(values, suffix);
  if (!after) return [["rejected_last", values]];
  const replaced = { ...values, y: chip(after.token) };
  if (WHOLE.includes(suffix)) return [[`rejected${suffix}`, replaced]];
  const drawn = `replaced${suffix}` in WORDS ? `replaced${suffix}` : "replaced";
  return [
    [`rejected${suffix}`, values],
    ...(known === "out" ? /** @type {[string, Values][]} */ ([[drawn, replaced]]) : []),
  ];
}

/**
 * Of a token that the grammar makes void, whatever its rule and its u.
 * @param {Drafted} drafted @param {Round} round @param {Values} values @param {Known} known
 * @returns {[string, Values][]}
 */
function forbidden(drafted, round, values, known) {
  const after = drafted === lastRejected(round) && known === "out" && round.emitted.find((e) => e.role === "corrected");
  return [["void", values], ...optional(after && "void_replaced", after ? { y: chip(after.token) } : {})];
}

/**
 * Of a token whose siblings are tested after it.
 * @param {Values} values @param {string} suffix @returns {[string, Values][]}
 */
function beforeSibling(values, suffix) {
  if (WHOLE.includes(suffix)) return [["rejected_sibling", values]];
  return [
    [`rejected${suffix}`, values],
    ["next_sibling", values],
  ];
}

/** What decided, by rule. @param {Drafted} drafted @param {Config} config @returns {Values} */
function tested(drafted, config) {
  const { u, joint, chance, position } = drafted;
  const bound = position ? Math.min(config.epsilon, config.delta * Math.exp(-position.p_entropy)) : null;
  return {
    u: probability(u),
    joint: probability(joint),
    chance: probability(chance),
    bound: probability(bound),
    limit: probability(limitOf(drafted, config)),
    theta: number(config.theta, 2),
  };
}
