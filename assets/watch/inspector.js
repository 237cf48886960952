// The inspector: one token, everything that decided it. Drawn from the same picture as the lanes, no trip to the
// server.

import { plotButton } from "../plot/probabilities.js";
import { bar, row } from "../shared/bars.js";
import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { explainWord } from "../shared/glossary.js";
import { number, percent, probability, rounded, times } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { lastRejected } from "../shared/tree.js";
import { WORDS, wordOf } from "../shared/words.js";
import { distributionOf, positionBars, residualBars } from "./bars.js";
import { describeToken, isUndecided, roleBadge } from "./description.js";
import { notExact } from "./headline.js";
import { limitName, triedScale, waitingScale } from "./uscale.js";

/** @import { Child, Choice, Config, Drafted, Emitted, Picture, Position, Round, Chances } from "../shared/types.js" */
/** @import { Description } from "./description.js" */
/** @import { RevealStage, TokenRef } from "./types.js" */

/** @type {(keyof Chances)[]} of the rule matrix */
const RULES = ["rejection", "match", "argmax"];
const ROUNDING = 1e-5; // what is sent has six digits

/** @param {HTMLElement} box @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage
 * @param {HTMLElement} close */
export function drawInspector(box, picture, ref, stage, close) {
  const description = describeToken(picture, ref, stage);
  box.replaceChildren(el("h3", null, WORDS.inspector), close);
  box.dataset.role = description?.role ?? "";
  box.dataset.lane = ref?.lane ?? "";
  if (!description) return box.append(el("p.sv-note", null, WORDS[ref ? "not_yet" : "choose"]));
  const { token, where, round, drafted } = description;
  const name = el("span.sv-big-token", null, chip(token));
  box.append(
    el("div.sv-inspector-head.sv-flow", null, name, roleBadge(description), el("span.sv-note", null, where)),
    el("p.sv-sentence", null, sentenceNodes(description)),
  );
  if (!round) return;
  const { config } = picture.header;
  if (ref?.lane === "speculative") box.append(notExact(config) ?? "");
  if (drafted && isUndecided(stage)) box.append(...pendingEvidence(config, drafted, stage));
  else {
    box.append(...evidence(config, round, drafted, description.emitted, stage === "out"));
    const rules = drafted?.position && ruleMatrix(picture, drafted.position);
    if (rules) box.append(panel("matrix_chances", rules));
  }
  if (stage === "out") box.append(roundFacts(round, picture));
}

/** @param {Description} description */
const sentenceNodes = ({ sentences, values }) => sentences.map((key, i) => [i ? " " : "", explainWord(key, values)]);

/**
 * The same sentence right under the lanes, so that choosing a token answers without leaving them.
 * @param {HTMLElement} box @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage
 * @param {() => void} onDetails
 */
export function drawCaption(box, picture, ref, stage, onDetails) {
  const description = describeToken(picture, ref, stage);
  if (!description) return box.replaceChildren(el("p", null, WORDS[ref ? "not_yet" : "choose"]));
  const details = button(WORDS.details, onDetails);
  box.replaceChildren(roleBadge(description), el("p", null, sentenceNodes(description)), details);
}

/**
 * A token whose verdict is to come: only q is known while it is drafted; p/q since the pass, and u is not drawn yet.
 * @param {Config} config @param {Drafted} drafted @param {RevealStage} stage
 */
function pendingEvidence(config, drafted, stage) {
  const { position, u } = drafted;
  if (stage === "drafted")
    return [el("p.sv-note", null, explainWord(config.drafting === "argmax" ? "q_is_argmax" : "q_is"))];
  const hasDraw = config.verifier === "rejection" && u !== null;
  const scale = hasDraw ? uPanel(config, waitingScale(drafted, config)) : null;
  const bars = position ? barsPanel(config, position, drafted) : [probabilityPair(drafted)];
  return [...(scale ? [scale] : []), ...bars];
}

/**
 * What the decision was made from: the distributions, u against its threshold, the residual.
 * @param {Config} config @param {Round} round @param {Drafted | null} drafted @param {Emitted | null} emitted
 * @param {boolean} out what replaces a rejected token is there
 */
function evidence(config, round, drafted, emitted, out) {
  const rejected = lastRejected(round);
  const corrected = emitted?.role === "corrected" && !drafted;
  const replaced = corrected || (rejected !== null && drafted === rejected) ? rejected : null;
  const subject = drafted || replaced || emitted;
  if (drafted?.verdict === "unexamined") return [probabilityPair(drafted)];
  /** @type {Element[]} */
  const parts = [];
  if (drafted && drafted.u !== null && !drafted.void)
    parts.push(uPanel(config, ...triedScale(round, drafted, config, drafted.u)));
  if (subject?.position) parts.push(...barsPanel(config, subject.position, subject));
  else parts.push(el("p.sv-note", null, WORDS.not_observed), ...(drafted ? [probabilityPair(drafted)] : []));
  const after = round.emitted.find(({ role }) => role === "corrected");
  if (replaced && out && round.residual && after && !config.greedy) {
    const block = config.verifier === "block" ? "_block" : "";
    const note = explainWord(`residual_note${block}`, { mass: probability(round.residual.mass) });
    parts.push(panel(`residual_title${block}`, el("p.sv-note", null, note), residualBars(round.residual, after.token)));
  }
  return parts;
}

/** u, what it is held against, and that in words. @param {Config} config @param {...Child} scale */
function uPanel(config, ...scale) {
  const limit = limitName(config);
  const sentence = phrase(config.verifier === "block" ? "u_is_block" : "u_is", { limit });
  const title = el("h4", null, phrase("u_title", { limit }));
  return el("section.sv-panel", null, title, el("p.sv-note.sv-u-is", null, sentence), scale);
}

/** p and q, and how much they have in common.
 * @param {Config} config @param {Position} position @param {Drafted | Emitted} subject */
function barsPanel(config, position, subject) {
  const bars = positionBars(position, subject);
  const title = position.beta === null ? "bars_title_p" : "bars_title";
  const softmaxNote = position.own ? el("p.sv-note.sv-own", null, phrase("own_is", { x: chip(subject.token) })) : null;
  const mask = config.grammar ? el("p.sv-note.sv-masked", null, WORDS.masked_is) : null;
  const plot = plotButton(distributionOf(position, subject));
  return [
    panel(title, beforeTemperature(position, config), bars, softmaxNote, mask, plot),
    el("div.sv-overlap", null, overlapLines(position, config)),
  ];
}

/**
 * At temperature 0, where all bars are 0 or 1: how many tokens the target found likely before it.
 * @param {Position} position @param {Config} config
 */
function beforeTemperature({ logits_entropy: entropy = null }, { greedy }) {
  if (!greedy || entropy === null) return null;
  const values = { entropy: number(entropy, 2), n: number(Math.exp(entropy), 1) };
  return el("p.sv-note.sv-before", null, explainWord("before_temperature", values));
}

/** @param {string} title @param {...Child} children */
const panel = (title, ...children) => el("section.sv-panel", null, el("h4", null, wordOf(title)), children);

/** @param {Drafted} drafted */
function probabilityPair({ p, q }) {
  const pair = (/** @type {string} */ name, /** @type {number | null} */ value) =>
    el("span", null, `${name} = `, el("strong", null, probability(value)));
  return el("p.sv-pq", null, pair("p(x)", p), pair("q(x)", q));
}

/** @param {Position} position @param {Config} config */
function overlapLines({ entries, beta, own, chances, told }, { greedy, verifier, exact }) {
  const other = verifier === "match" ? "beta_match" : "beta_other";
  const key = greedy || verifier === "rejection" ? "beta" : other;
  const overlap = entries.reduce((sum, { p, q }) => sum + p * (q || 0), 0);
  const values = { beta: probability(beta), overlap: probability(overlap), rejection: probability(chances?.rejection) };
  const chance = beta === null ? null : explainWord(own && exact ? "beta_argmax" : key, values);
  const lines = told.map(([sentence, numbers]) => el("p.sv-note", null, explainWord(sentence, rounded(numbers))));
  return [chance && el("p.sv-beta", null, chance), ...lines];
}

/** Of a disturbed run without its times. @param {Round} round @param {Picture} picture */
function roundFacts({ times, target_cache, draft_cache, choice }, { header: { engine }, comparison }) {
  const ofDraft = draft_cache ? phrase("round_cache_draft", { ...draft_cache }) : "";
  const caches = target_cache
    ? [el("p", null, phrase("round_cache", { ...target_cache }), " ", ofDraft), el("p", null, WORDS.round_cache_why)]
    : el("p", null, phrase("cache_untold", { engine }));
  const choiceNode = choice ? el("p.sv-choice", null, choiceLine(choice)) : null;
  const timesNode = comparison?.disturbed.length ? null : el("p", null, phrase("round_times", rounded(times)));
  return el("footer.sv-round-facts.sv-note", null, choiceNode, timesNode, caches);
}

/** What adaptive K chose before the round, and by what. @param {Choice} choice */
function choiceLine({ K, why, alpha, c, v, speedup }) {
  return phrase(`choice_${why}`, { K, alpha: percent(alpha), ...rounded({ c, v }), speedup: times(speedup) });
}

/** A row for each rule: what it is called, its chance, whether it ran. @param {Chances} chances @param {string} ran */
export const matrixRows = (chances, ran) => RULES.map((rule) => ({ rule, chance: chances[rule], ran: rule === ran }));

/**
 * At one position the chance of a draft token to stay by each rule, and which of them ran; a run that was saved before
 * this was written down says so.
 * @param {Picture} picture @param {Position} position @returns {Child}
 */
function ruleMatrix({ rules, header }, { chances }) {
  if (!rules) return header.config.greedy ? null : el("p.sv-note", null, WORDS.matrix_unknown);
  if (rules.ran === "greedy")
    return el("p.sv-note", null, phrase("matrix_greedy", { accepted: probability(rules.accepted) }));
  if (!chances) return null;
  const rows = matrixRows(chances, rules.ran);
  const other = rows.some(({ ran }) => ran) ? null : phrase("matrix_other", { rule: wordOf(`rule_${rules.ran}`) });
  const { positions, rejection, match, argmax } = rules;
  const means = { rejection: probability(rejection), match: probability(match), argmax: probability(argmax) };
  const run = phrase("matrix_run", { positions, ...means, most: leaders(rules) });
  return [
    el("div.sv-bars.sv-matrix", null, rows.map(matrixRow)),
    other && el("p.sv-note", null, other),
    el("p.sv-note", null, run),
  ];
}

/** Which of the three accept most over the run; more than one where they are equal. @param {Chances} means */
export function leaders(means) {
  const top = Math.max(...RULES.map((rule) => means[rule]));
  const first = RULES.filter((rule) => means[rule] > top - ROUNDING);
  if (first.length === RULES.length) return WORDS.matrix_same;
  const most = first.map((rule) => WORDS[`rule_${rule}`]).join(WORDS.and);
  return plain(first.length > 1 ? "matrix_tie" : "matrix_one", { most });
}

/** @param {ReturnType<typeof matrixRows>[number]} row */
function matrixRow({ rule, chance, ran }) {
  const name = [WORDS[`rule_${rule}`], ran ? el("strong", null, ` ✓ ${WORDS.matrix_ran}`) : null];
  return row(name, bar("rule", chance, 1), [probability(chance)], ran);
}
