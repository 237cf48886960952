// The inspector: one token, everything that decided it. Drawn from the same picture as the lanes, no trip to the
// server.

import { button } from "../shared/controls.js";
import { el } from "../shared/dom.js";
import { explainWord as terms } from "../shared/glossary.js";
import { percent, probability, rounded, times } from "../shared/numbers.js";
import { say } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";
import { lastRejected } from "../shared/tree.js";
import { WORDS, wordOf } from "../shared/words.js";
import { positionBars, residualBars } from "./bars.js";
import { describeToken, open, roleBadge } from "./description.js";
import { notExact } from "./exact.js";
import { ruleMatrix } from "./matrix.js";
import { saveButton } from "./saved_bars.js";
import { limitName, triedScale, waitingScale } from "./uscale.js";

/** @import { Child, Choice, Config, Drafted, Emitted, Picture, Position, Round } from "../shared/types.js" */
/** @import { Description } from "./description.js" */
/** @import { Known, Picked } from "./types.js" */

/** @param {HTMLElement} box @param {Picture} picture @param {Picked | null} picked @param {Known} known
 * @param {HTMLElement} close */
export function drawInspector(box, picture, picked, known, close) {
  const description = describeToken(picture, picked, known);
  box.replaceChildren(el("h3", null, WORDS.inspector), close);
  box.dataset.role = description?.role ?? "";
  if (!description) return box.append(el("p.sv-note", null, WORDS[picked ? "not_yet" : "choose"]));
  const { token, where, round, drafted } = description;
  const name = el("span.sv-big-token", null, chip(token));
  box.append(
    el("div.sv-inspector-head.sv-flow", null, name, roleBadge(description), el("span.sv-note", null, where)),
    el("p.sv-sentence", null, written(description)),
  );
  if (!round) return;
  const { config } = picture.header;
  if (picked?.lane === "speculative") box.append(notExact(config) ?? "");
  if (drafted && open(known)) box.append(...soFar(config, drafted, known));
  else {
    box.append(...evidence(config, round, drafted, description.emitted, known === "out"));
    const rules = drafted?.position && ruleMatrix(picture, drafted.position);
    if (rules) box.append(panel("matrix_chances", rules));
  }
  if (known === "out") box.append(roundFacts(round, picture));
}

/** @param {Description} description */
const written = ({ sentences }) => sentences.map((sentence, i) => [i ? " " : "", terms(...sentence)]);

/**
 * The same sentence right under the lanes, so that choosing a token answers without leaving them.
 * @param {HTMLElement} box @param {Picture} picture @param {Picked | null} picked @param {Known} known
 * @param {() => void} onDetails
 */
export function drawCaption(box, picture, picked, known, onDetails) {
  const description = describeToken(picture, picked, known);
  if (!description) return box.replaceChildren(el("p", null, WORDS[picked ? "not_yet" : "choose"]));
  const more = button(WORDS.details, onDetails);
  box.replaceChildren(roleBadge(description), el("p", null, written(description)), more);
}

/**
 * A token whose verdict is to come: only q is known while it is drafted; p/q since the pass, and u is not drawn yet.
 * @param {Config} config @param {Drafted} drafted @param {Known} known
 */
function soFar(config, drafted, known) {
  const { position, u } = drafted;
  if (known === "drafted") return [el("p.sv-note", null, terms(config.drafting === "argmax" ? "q_is_argmax" : "q_is"))];
  const tested = config.verifier === "rejection" && u !== null;
  const scale = tested ? uPanel(config, waitingScale(drafted, config)) : null;
  return [...(scale ? [scale] : []), position ? barsPanel(config, position, drafted) : chances(drafted)];
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
  if (drafted?.verdict === "unexamined") return [chances(drafted)];
  /** @type {Element[]} */
  const parts = [];
  if (drafted && drafted.u !== null && !drafted.void)
    parts.push(uPanel(config, ...triedScale(round, drafted, config, drafted.u)));
  if (subject?.position) parts.push(barsPanel(config, subject.position, subject));
  else parts.push(el("p.sv-note", null, WORDS.not_observed), ...(drafted ? [chances(drafted)] : []));
  const after = round.emitted.find(({ role }) => role === "corrected");
  if (replaced && out && round.residual && after && !config.greedy) {
    const block = config.verifier === "block" ? "_block" : "";
    const note = terms(`residual_note${block}`, { mass: probability(round.residual.mass) });
    parts.push(panel(`residual_title${block}`, el("p.sv-note", null, note), residualBars(round.residual, after.token)));
  }
  return parts;
}

/** u, what it is held against, and that in words. @param {Config} config @param {...Child} scale */
function uPanel(config, ...scale) {
  const limit = limitName(config);
  const is = say(config.verifier === "block" ? "u_is_block" : "u_is", { limit });
  const title = el("h4", null, say("u_title", { limit }));
  return el("section.sv-panel", null, title, el("p.sv-note.sv-u-is", null, is), scale);
}

/** @param {Config} config @param {Position} position @param {Drafted | Emitted} subject */
function barsPanel(config, position, subject) {
  const bars = positionBars(position, subject);
  const title = position.beta === null ? "bars_title_p" : "bars_title";
  const used = position.own ? el("p.sv-note.sv-own", null, say("own_is", { x: chip(subject.token) })) : null;
  const mask = config.grammar ? el("p.sv-note.sv-masked", null, WORDS.masked_is) : null;
  return panel(title, bars, used, mask, overlapLines(position, config), saveButton(bars, position, subject));
}

/** @param {string} title @param {...Child} children */
const panel = (title, ...children) => el("section.sv-panel", null, el("h4", null, wordOf(title)), children);

/** @param {Drafted} drafted */
function chances({ p, q }) {
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
  const chance = beta === null ? null : terms(own && exact ? "beta_argmax" : key, values);
  const lines = told.map(([sentence, numbers]) => el("p.sv-note", null, terms(sentence, rounded(numbers))));
  return [chance && el("p.sv-beta", null, chance), ...lines];
}

/** Of a disturbed run without its times. @param {Round} round @param {Picture} picture */
function roundFacts({ times, target_cache, draft_cache, choice }, { header: { engine }, comparison }) {
  const caches = target_cache
    ? [
        el(
          "p",
          null,
          say("round_cache", { ...target_cache }),
          " ",
          draft_cache ? say("round_cache_draft", { ...draft_cache }) : "",
        ),
        el("p", null, WORDS.round_cache_why),
      ]
    : el("p", null, say("cache_untold", { engine }));
  const chosen = choice ? el("p.sv-choice", null, chosenLine(choice)) : null;
  const took = comparison?.kind === "disturbed" ? null : el("p", null, say("round_times", rounded(times)));
  return el("footer.sv-round-facts.sv-note", null, chosen, took, caches);
}

/** What adaptive K chose before the round, and by what. @param {Choice} choice */
function chosenLine({ K, why, alpha, c, v, speedup }) {
  return say(`choice_${why}`, { K, alpha: percent(alpha), ...rounded({ c, v }), speedup: times(speedup) });
}
