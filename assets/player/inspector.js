// What a chosen token is explained with, from the same picture as the lanes, no trip to the server: the inspector, the line
// under the lanes, the picture of its round (round.js); the game of its verdicts; and a plot of acceptance. It is sent with
// the first of these that is asked for, as window.specvizInspection (specviz/page/watch/race.py).

import { plotAcceptance } from "../plot/plot.js";
import { branches, examinedNodes } from "../trace/events.js";
import { distributionOf, limitName, plotButton, positionBars, residualBars, triedScale, waitingScale } from "./bars.js";
import { lastRejected, limitOf } from "./clock.js";
import { bar, button, chip, el, row, setText, still } from "./dom.js";
import { notExact } from "./numbers.js";
import { explainWord } from "./page.js";
import { makeRound } from "./round.js";
import { fill, number, percent, phrase, plain, probability, ROLES, roleWord, rounded, times, WORDS, wordOf } from "./words.js";

/** @import { Values } from "./words.js" */
/** @import { Chances, Child, Choice, Clock, Config, Drafted, Emitted, Guess, Header } from "../shared/types.js" */
/** @import { Lane, LaneName, Picture, Position, ReplayStep, RevealStage, Round, Token } from "../shared/types.js" */
/** @import { TokenRef } from "../shared/types.js" */

// What is said of a chosen token, in the inspector and right under the lanes: what happened to it so far and why.

const ROUNDING = 1e-5; // two passes over the same text differ by less in p, and so does what is sent, which has six digits
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

/** @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage how much of it has happened
 * @returns {Description | null} */
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
const isUndecided = (stage) => stage === "drafted" || stage === "checked";

/** @param {Description} description */
function roleBadge({ role, drafted }) {
  const word = roleWord(role, drafted?.void);
  const sign = word === WORDS.void_word ? WORDS.void_sign : ROLES[role].glyph;
  return el("span.sv-role", { "data-role": role }, `${sign} ${word}`);
}

/** What the sentences of a rule have at the end of their keys. @param {Config} config */
const suffixOf = ({ greedy, verifier }) => (greedy ? "_greedy" : verifier === "rejection" ? "" : `_${verifier}`);

/** @param {Config} config @param {Round} round @param {Drafted} drafted @param {Emitted | null} emitted
 * @param {RevealStage} stage @returns {string[]} */
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

/** Of a token that was not drafted. @param {Config} config @param {Round} round @param {Emitted} emitted
 * @param {LaneName} lane */
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

/** `y`: of a token that was tested what replaced it, of any other what was rejected before it. @param {Header} header
 * @param {Round} round @param {Drafted | Emitted} subject @returns {Values} */
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

// A game: verdicts are hidden, a visitor says of each token whether it is accepted, then sees it; the next one comes by
// itself. After ten the result says what was learnt of α.

/** @type {Guess[]} */
const GUESSES = ["accept", "reject"];
const ANSWERS = 10; // answers until the result
const READ_MS = { right: 1300, wrong: 2400 }; // ms: an answer is read, then the next question comes

/** @param {Clock} clock @param {Lane} lane the one that is stepped through @param {Config} config
 * @param {Map<string, Guess | null>} guesses by round and token; none where its verdict was seen first */
export function makePredict(clock, { rounds, numbers }, config, guesses) {
  const sentence = el("p.sv-asked", { "aria-live": "polite" });
  const buttons = GUESSES.map((guess) => {
    const { glyph } = ROLES[guess === "accept" ? "accepted" : "rejected"];
    return button([glyph, " ", WORDS[`predict_${guess}`]], () => giveGuess(guess), { "data-guess": guess });
  });
  const proceed = button(WORDS.predict_on, clock.play);
  const score = el("p.sv-score.sv-muted");
  const resultLine = el("p.sv-learnt");
  const shareButton = button(WORDS.predict_share, async () => {
    const text = `${plain("predict_shares", result())} ${location.origin}${location.pathname}`;
    setText(sentence, (await shareText(text)) ? WORDS.predict_shared : text);
  });
  const result = () => ({
    ...scorePrediction(guesses, rounds, config),
    alpha: number(numbers.alpha ?? numbers.accepted_of_tested, 2),
  });
  const root = el(
    "div.sv-predict",
    { role: "group", "aria-label": WORDS.predict },
    sentence,
    buttons,
    proceed,
    score,
    el("p.sv-note.sv-predict-keys", null, WORDS.predict_keys),
    resultLine,
    shareButton,
  );
  /** @type {ReplayStep | null} */
  let current = null;

  /** False where nothing is asked for. @param {Guess} guess */
  function giveGuess(guess) {
    if (!current || current.next === null || guesses.has(keyOf(current.round, current.next))) return false;
    const { verdict } = current.round.drafted[current.next];
    guesses.set(keyOf(current.round, current.next), guess);
    clock.step(1, true);
    if (buttons.includes(/** @type {any} */ (document.activeElement))) proceed.focus({ preventScroll: true });
    if (resultLine.hidden && !still()) playAfter(READ_MS[(guess === "accept") === (verdict === "accepted") ? "right" : "wrong"]);
    return true;
  }

  /** Unless somebody did something else meanwhile. @param {number} ms */
  function playAfter(ms) {
    const { t } = clock;
    setTimeout(() => root.checkVisibility() && !clock.playing && clock.t === t && clock.play(), ms);
  }

  function move(/** @type {ReplayStep} */ step) {
    current = step;
    const { round, phase, decided, next } = step;
    // what was seen before it was asked for is no prediction
    for (const i of examinedNodes(round.drafted).slice(0, decided))
      if (!guesses.has(keyOf(round, i))) guesses.set(keyOf(round, i), null);
    const asking = next !== null && phase === "decide" && !clock.playing;
    const isOpen = asking && !guesses.has(keyOf(round, next));
    const isNew = isOpen && buttons[0].hidden;
    for (const button of buttons) button.hidden = !isOpen;
    const { right, of, streak } = scorePrediction(guesses, rounds, config);
    const over = clock.t >= clock.duration;
    proceed.hidden = isOpen || clock.playing || over;
    const isOver = !isOpen && !clock.playing && of > 0 && (over || (of % ANSWERS === 0 && Boolean(guessOf(step))));
    sentence.replaceChildren(...(isOpen ? questionNodes(step) : answerNodes(step)));
    setText(score, plain(of ? "predict_score" : "predict_none", { right, of, streak }));
    const wasOver = !resultLine.hidden;
    for (const one of [resultLine, shareButton]) one.hidden = !isOver;
    if (isOver) setText(resultLine, summary(result()));
    if (isNew || (isOver && !wasOver)) root.scrollIntoView({ block: "nearest" }); // it waits for the visitor
  }

  /** @param {ReplayStep} step */
  function questionNodes({ round, next }) {
    const { token, u } = round.drafted[next ?? 0];
    const key = config.greedy ? "predict_ask_greedy" : u === null ? "predict_ask_alone" : "predict_ask";
    return fill(WORDS[key], { x: chip(token) });
  }

  /** What was said of the verdict that has just fallen. @param {ReplayStep} step */
  const guessOf = ({ round, phase, last }) => (phase === "decide" && last !== null ? guesses.get(keyOf(round, last)) : null);

  /** What a game came to. @param {ReturnType<typeof scorePrediction> & { alpha: string }} result */
  function summary(result) {
    const { kept: accepted, of } = result;
    const values = { ...result, share: percent(accepted / of) };
    const isDrawn = config.verifier === "match" || rounds.some(({ drafted }) => drafted.some(({ u }) => u !== null));
    const keys = ["predict_result", "predict_learnt", ...(isDrawn ? ["predict_likelier"] : [])];
    return keys.map((key) => plain(key, values)).join(" ");
  }

  /** @param {ReplayStep} step */
  function answerNodes(step) {
    const { round, last } = step;
    const guess = guessOf(step);
    if (!guess || last === null) return [document.createTextNode(clock.playing ? "" : WORDS.predict_wait)];
    const { token, verdict } = round.drafted[last];
    const right = (guess === "accept") === (verdict === "accepted");
    return fill(WORDS[right ? "predict_right" : "predict_wrong"], { x: chip(token), verdict: ROLES[verdict].word });
  }
  return { root, move, giveGuess };
}

/** @param {Round} round @param {number} i */
const keyOf = ({ index }, i) => `${index}/${i}`;

/** How many predictions were right, of how many; how many in a row, now and at most; how many of the tokens were kept;
 * and how often the likelier of both answers would have been right. @param {Map<string, Guess | null>} guesses
 * @param {Round[]} rounds by their places @param {Pick<Config, "greedy" | "verifier" | "theta">} config */
function scorePrediction(guesses, rounds, { greedy, verifier, theta }) {
  const score = { right: 0, of: 0, streak: 0, longest: 0, kept: 0, likelier: 0 };
  for (const [key, guess] of guesses) {
    const [index, i] = key.split("/").map(Number);
    const drafted = rounds[index]?.drafted[i];
    if (!guess || !drafted) continue;
    const accepted = drafted.verdict === "accepted";
    const chance = verifier === "match" ? drafted.p : limitOf(drafted, { verifier, theta });
    const right = (guess === "accept") === accepted;
    score.of += 1;
    score.right += Number(right);
    score.streak = right ? score.streak + 1 : 0;
    score.longest = Math.max(score.longest, score.streak);
    score.kept += Number(accepted);
    score.likelier += greedy ? 0 : Number((chance ?? 0) >= 0.5 === accepted);
  }
  return score;
}

/** @param {string} text @returns {Promise<boolean>} false where the browser lets the page do neither */
async function shareText(text) {
  try {
    if (navigator.share && matchMedia("(pointer: coarse)").matches) await navigator.share({ text });
    else await navigator.clipboard.writeText(text);
    return true;
  } catch (error) {
    return error instanceof Error && error.name === "AbortError"; // who closed the list of apps wants no text
  }
}

/** @type {(keyof Chances)[]} of the rule matrix */
const RULES = ["rejection", "match", "argmax"];

/** @param {HTMLElement} box @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage
 * @param {HTMLElement} close */
function drawInspector(box, picture, ref, stage, close) {
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

/** The same sentence right under the lanes, so that choosing a token answers without leaving them.
 * @param {HTMLElement} box @param {Picture} picture @param {TokenRef | null} ref @param {RevealStage} stage
 * @param {() => void} onDetails */
function drawCaption(box, picture, ref, stage, onDetails) {
  const description = describeToken(picture, ref, stage);
  if (!description) return box.replaceChildren(el("p", null, WORDS[ref ? "not_yet" : "choose"]));
  const details = button(WORDS.details, onDetails);
  box.replaceChildren(roleBadge(description), el("p", null, sentenceNodes(description)), details);
}

/** A token whose verdict is to come: only q is known while it is drafted; p/q since the pass, and u is not drawn yet.
 * @param {Config} config @param {Drafted} drafted @param {RevealStage} stage */
function pendingEvidence(config, drafted, stage) {
  const { position, u } = drafted;
  if (stage === "drafted") return [el("p.sv-note", null, explainWord(config.drafting === "argmax" ? "q_is_argmax" : "q_is"))];
  const hasDraw = config.verifier === "rejection" && u !== null;
  const scale = hasDraw ? uPanel(config, waitingScale(drafted, config)) : null;
  const bars = position ? barsPanel(config, position, drafted) : [probabilityPair(drafted)];
  return [...(scale ? [scale] : []), ...bars];
}

/** What the decision was made from: the distributions, u against its threshold, the residual. @param {Config} config
 * @param {Round} round @param {Drafted | null} drafted @param {Emitted | null} emitted @param {boolean} out what
 * replaces a rejected token is there */
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
  if (config.greedy && position.softmax) return softmaxPanel(position, position.softmax, subject);
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

/** At temperature 0: what both models found likely before it, and which token it gives all of p and all of q.
 * @param {Position} position @param {NonNullable<Position["softmax"]>} softmax @param {Drafted | Emitted} subject */
function softmaxPanel({ entries }, softmax, { token }) {
  const [y, x] = /** @type {const} */ (["p", "q"]).map((name) => entries.find((entry) => entry[name] === 1)?.token);
  const key = softmax.q_rest === null ? "softmax_p" : x?.id === y?.id ? "softmax_same" : "softmax_differ";
  /** @param {Token} token */
  const becomes = ({ id }) => [id === y?.id ? "p = 1" : null, id === x?.id ? "q = 1" : null].filter(Boolean).join(", ");
  const bars = positionBars(softmax, { token }, becomes);
  return [
    panel(key === "softmax_p" ? "softmax_title_p" : "softmax_title", bars, plotButton(distributionOf(softmax, { token }))),
    el("div.sv-overlap.sv-zero", null, el("p.sv-beta", null, explainWord(key, { y: y && chip(y), x: x && chip(x) }))),
  ];
}

/** At temperature 0 in an older run, where all bars are 0 or 1: how many tokens the target found likely before it.
 * @param {Position} position @param {Config} config */
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
  const isCut = [target_cache, draft_cache].some((cache) => cache && cache.peak > cache.after);
  const caches = target_cache
    ? [
        el("p", null, phrase(isCut ? "round_cache" : "round_cache_plain", { ...target_cache }), " ", ofDraft),
        el("p", null, WORDS[isCut ? "round_cache_why" : "round_cache_what"]),
      ]
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

/** At one position the chance of a draft token to stay by each rule, and which of them ran; a run that was saved before
 * this was written down says so. @param {Picture} picture @param {Position} position @returns {Child} */
function ruleMatrix({ rules, header }, { chances }) {
  if (!rules) return header.config.greedy ? null : el("p.sv-note", null, WORDS.matrix_unknown);
  if (rules.ran === "greedy") return el("p.sv-note", null, phrase("matrix_greedy", { accepted: probability(rules.accepted) }));
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

export const inspection = { makeRound, drawCaption, drawInspector, makePredict, plotAcceptance };
