// What is said of a chosen token, in the inspector and right under the lanes: what happened to it so far and why.

import { el } from "../shared/dom.js";
import { number, probability } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { lastRejected, limitOf } from "../shared/tree.js";
import { ROLES, roleWord, WORDS } from "../shared/words.js";
import { branches } from "../trace/tree.js";

/** @import { Config, Drafted, Emitted, Header, LaneName, Picture, Round, Token } from "../shared/types.js" */
/** @import { Values } from "../shared/sentences.js" */
/** @import { RevealStage, TokenRef } from "./types.js" */

// two passes over the same text give p and q that differ by less: who drafts from p itself has q = p
const ROUNDING = 1e-5;
const WHOLE_SENTENCE_RULES = ["_greedy", "_match"]; // rules that have sentences of their own for every token

/**
 * @typedef {object} Description
 * @property {Token} token
 * @property {string} role
 * @property {string} where
 * @property {string[]} sentences their keys among the words
 * @property {Values} values what fills them in
 * @property {Round | null} round none for a token of the prompt
 * @property {Drafted | null} drafted
 * @property {Emitted | null} emitted
 */

/**
 * @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage how much of it has happened
 * @returns {Description | null}
 */
export function describeToken(picture, ref, stage) {
  const lane = ref && picture.lanes[ref.lane];
  if (!lane || !stage) return null;
  if (ref.round === undefined) {
    const token = lane.prompt[ref.prompt ?? 0];
    const prompt = { role: "prompt", where: "", round: null, drafted: null, emitted: null };
    return { token, ...prompt, sentences: ["in_prompt"], values: { x: chip(token) } };
  }
  const round = lane.rounds[ref.round];
  const drafted = ref.drafted === null ? null : round.drafted[ref.drafted];
  const emitted = ref.emitted === null ? null : round.emitted[ref.emitted];
  const subject = drafted || emitted;
  if (!subject) return null;
  const { config, engine } = picture.header;
  const place = { round: round.index + 1, i: (ref.drafted ?? 0) + 1, K: round.drafted.length };
  const short = { n: round.drafted.length, engine };
  const fewer = !drafted && round.fewer ? plain(`fewer_${round.fewer}`, short) : "";
  return {
    token: subject.token,
    role: !("verdict" in subject) ? subject.role : isUndecided(stage) ? "drafted" : subject.verdict,
    where: plain(drafted ? "where_draft" : "where_after", place) + fewer,
    sentences: drafted
      ? draftedSentences(config, round, drafted, emitted, stage)
      : emittedSentences(config, round, /** @type {Emitted} */ (subject), ref.lane),
    values: valuesOf(picture.header, round, subject),
    round,
    drafted,
    emitted,
  };
}

/** Whether a drafted token's verdict is still to come. @param {RevealStage} stage */
export const isUndecided = (stage) => stage === "drafted" || stage === "checked";

/** @param {Description} description */
export function roleBadge({ role, drafted }) {
  const word = roleWord(role, drafted?.void);
  const sign = word === WORDS.void_word ? WORDS.void_sign : ROLES[role].glyph;
  return el("span.sv-role", { "data-role": role }, `${sign} ${word}`);
}

/** What the sentences of a rule have at the end of their keys. @param {Config} config */
const suffixOf = ({ greedy, verifier }) => (greedy ? "_greedy" : verifier === "rejection" ? "" : `_${verifier}`);

/**
 * @param {Config} config @param {Round} round @param {Drafted} drafted @param {Emitted | null} emitted
 * @param {RevealStage} stage @returns {string[]}
 */
function draftedSentences(config, round, drafted, emitted, stage) {
  const { greedy, verifier, drafting } = config;
  const { verdict, u } = drafted;
  const suffix = suffixOf(config);
  if (stage === "drafted") return [greedy || drafting === "argmax" ? "draft_only_greedy" : "draft_only"];
  if (stage === "checked") return [`checked${greedy || ["match", "rejection"].includes(verifier) ? suffix : "_alone"}`];
  if (!greedy && verifier === "rejection" && u === null && verdict !== "unexamined")
    return [verdict === "accepted" ? "kept_untold" : "rejected_untold"];
  return [...verdictSentences(round, drafted, suffix, stage), ...(emitted?.forced ? ["forced"] : [])];
}

/** @param {Round} round @param {Drafted} drafted @param {string} suffix @param {RevealStage} stage */
function verdictSentences(round, drafted, suffix, stage) {
  const rejected = lastRejected(round);
  const corrected = round.emitted.some(({ role }) => role === "corrected");
  const isReplaced = corrected && stage === "out";
  if (drafted.void) return ["void", ...(isReplaced && drafted === rejected ? ["void_replaced"] : [])];
  if (drafted.verdict === "unexamined") {
    if (branches(round)) return ["unexamined_tree"];
    if (!rejected) return ["unexamined_ended"];
    return [suffix === "_block" ? "unexamined_block" : "unexamined"];
  }
  if (drafted.verdict === "accepted") {
    if (suffix) return [`kept${suffix}`];
    return [(drafted.ratio ?? 0) >= 1 - ROUNDING ? "kept_sure" : "kept_lucky"];
  }
  const isWhole = WHOLE_SENTENCE_RULES.includes(suffix);
  // its siblings are tested after it
  if (branches(round) && drafted !== rejected)
    return isWhole ? ["rejected_sibling"] : [`rejected${suffix}`, ownOf("next_sibling", suffix)];
  if (!corrected) return ["rejected_last"];
  if (isWhole || !isReplaced) return [`rejected${suffix}`];
  return [`rejected${suffix}`, ownOf("replaced", suffix)];
}

/** The rule's own sentence, or that of all rules. @param {string} key @param {string} suffix */
const ownOf = (key, suffix) => (`${key}${suffix}` in WORDS ? `${key}${suffix}` : key);

/**
 * Of a token that was not drafted.
 * @param {Config} config @param {Round} round @param {Emitted} emitted @param {LaneName} lane
 */
function emittedSentences(config, round, { role, u, forced }, lane) {
  const { greedy, K } = config;
  const suffix = suffixOf(config);
  const pass = round.fewer === "prefill" ? "_prefill" : lane === "speculative" && K ? "_undrafted" : "";
  const ofRule = `${role}${suffix}` in WORDS ? suffix : "";
  const after = role === "bonus" && branches(round) ? "_tree" : ofRule;
  const key = role === "plain" ? `plain${pass}${greedy ? suffix : ""}` : `${role}${after}`;
  const isDrawnFromP = role === "plain" || key === "bonus" || key === "bonus_tree";
  const draw = u === null ? ["untold"] : isDrawnFromP ? ["inverse"] : [];
  return [key, ...(greedy ? [] : draw), ...(forced ? ["forced"] : [])];
}

/**
 * `y`: of a token that was tested what replaced it, of any other what was rejected before it.
 * @param {Header} header @param {Round} round @param {Drafted | Emitted} subject @returns {Values}
 */
function valuesOf({ config, engine }, round, subject) {
  const isTested = "verdict" in subject && subject.verdict !== "unexamined";
  const other = isTested ? round.emitted.find(({ role }) => role === "corrected") : lastRejected(round);
  const values = { x: chip(subject.token), y: other && chip(other.token), u: probability(subject.u), engine };
  if (!("verdict" in subject)) return values;
  const { p, q, ratio, joint, chance, position } = subject;
  const bound = position ? Math.min(config.epsilon, config.delta * Math.exp(-position.p_entropy)) : null;
  return {
    ...values,
    p: probability(p),
    q: probability(q),
    ratio: probability(ratio),
    joint: probability(joint),
    chance: probability(chance),
    bound: probability(bound),
    limit: probability(limitOf(subject, config)),
    theta: number(config.theta, 2),
  };
}
