// Trace → picture: the plain values that a screen shows, what another engine does not tell among them, and nothing
// about how they look. Every time is in milliseconds on the lane's own decode clock: 0 is the start of its first round,
// and only the timed part of a round moves it (observation is left out). Text is data from here to the page. A run comes as
// it is sent (specviz/picture/replay.py): its trace, packed.

import {
  branches,
  byProcessorTime,
  clippedToken,
  clipText,
  decodedRounds,
  depths,
  examinedNodes,
  finishedOf,
  isExact,
  mostOf,
  parents,
  prefillOf,
  ratio,
  roundMs,
  roundsOf,
  short,
  signs,
  sum,
  textNodes,
} from "../trace/events.js";
import { account, choosesLength, comparisonOf, laneNumbers } from "./account.js";
import { ABOUT } from "./words.js";

/** @import { About, Picture } from "../shared/types.js" */
/** @import { Config, Drafted, Emitted, Event, Header, ModelInfo, Position } from "../trace/types.js" */
/** @import { Residual, Round, Softmax, Token, Trace } from "../trace/types.js" */

/** @typedef {{ at: number, decided: number }[]} Moments of each drafted token */

const NAME_LENGTH = 40; // characters of an engine's name that a screen shows
const [MOST_DEPARTURES, DEPARTURE_LENGTH] = [12, 160]; // of another engine, and characters of each
const HIDDEN_FIELDS = ["eos", "weights", "repeats", "exact"]; // a run is redone by them

/** All that one screen shows of a run; a lane that never began is null.
 * @param {Trace} trace @param {About} about @returns {Picture} */
export function pictureOf(trace, about) {
  const { header } = trace;
  const exact = isExact(header.config, about.rules);
  const disturbed = signs(trace);
  const processorTimed = disturbed.length ? byProcessorTime(trace) : null;
  const timed = processorTimed ?? trace;
  const [vanilla, speculative] = [laneOf("vanilla", timed.vanilla), laneOf("speculative", timed.speculative)];
  const clock = processorTimed ? "processor" : disturbed.length ? null : "wall";
  const comparison = comparisonOf(timed, vanilla, speculative, disturbed, clock);
  const bounds = comparison?.speedup ? /** @type {[number, number]} */ ([comparison.low, comparison.high]) : null;
  const breakdown = account(header, decodedRounds(trace.vanilla), decodedRounds(trace.speculative), about, bounds);
  const withheld = (!breakdown.missing || breakdown.missing === "tree") && disturbed.length;
  return /** @type {any} */ ({
    header: { ...headerOf(header, about.families, exact), left_out: leftOut(trace) },
    lanes: { vanilla, speculative },
    comparison,
    account: withheld ? { missing: "disturbed" } : shortened(breakdown),
    rules: meanChances(header.config, roundsOf(trace.speculative), exact),
  });
}

/** @param {Header} header @param {Record<string, string>} families @param {boolean} exact */
function headerOf(header, families, exact) {
  const { config, target, draft } = header;
  const kind = draft && kindOf(draft, target, families);
  const fewer = choosesLength(config) || kind === "lookup";
  return {
    ...visibleFields(header),
    engine: truncate(header.engine, NAME_LENGTH),
    engine_version: truncate(header.engine_version, NAME_LENGTH),
    departures: (header.departures ?? []).slice(0, MOST_DEPARTURES).map((each) => truncate(each, DEPARTURE_LENGTH)),
    config: { ...config, greedy: config.temperature === 0, exact: header.exact ?? exact },
    target: visibleFields(target),
    draft: draft && { ...visibleFields(draft), kind, most: mostOf(config), fewer },
  };
}

/** @param {object} value */
const visibleFields = (value) => Object.fromEntries(Object.entries(value).filter(([name]) => !HIDDEN_FIELDS.includes(name)));

/** What kind of drafter ran, which chooses the words about it. @param {ModelInfo} draft @param {ModelInfo} target
 * @param {Record<string, string>} families */
function kindOf(draft, target, families) {
  if (Object.hasOwn(families, draft.family)) return families[draft.family];
  if (JSON.stringify(draft) === JSON.stringify(target)) return "target";
  if (draft.forward === "none") return "table";
  return draft.parameters ? "model" : "layers"; // the target's own first ones
}

/** @param {string} name @param {Event[]} events */
function laneOf(name, events) {
  if (!events.length) return null;
  const [prefill, finished, rounds] = [prefillOf(events), finishedOf(events), roundsOf(events)];
  let [clock, before] = [0, 0];
  const views = rounds.map((round) => {
    const passes = round.draft_forwards;
    const view = roundView(round, clock, passes === null ? null : passes - before);
    clock += roundMs(round);
    before = passes ?? 0;
    return view;
  });
  return {
    name,
    prompt: prefill ? promptTokens(prefill.prompt) : [],
    rounds: views,
    duration: moment(clock),
    stopped: finished ? { reason: finished.reason, detail: finished.detail } : null,
    numbers: laneNumbers(prefill, rounds, finished, clock),
  };
}

/** Each once, in the order of the inspector. @param {Trace} trace */
function leftOut({ header, vanilla, speculative }) {
  if (header.engine === "specviz") return [];
  const greedy = header.config.temperature === 0;
  const [one, other] = [vanilla, speculative].map((lane) => presentFields(lane, greedy));
  return Object.keys(one).filter((key) => !one[key] || !other[key]);
}

/** What a lane tells. @param {Event[]} events @param {boolean} greedy @returns {Record<string, unknown>} */
function presentFields(events, greedy) {
  const rounds = decodedRounds(events);
  const all = roundsOf(events);
  const drafted = all.flatMap((round) => round.drafted);
  const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
  const last = all.flatMap(({ emitted }) => emitted.slice(-1)).filter(({ role }) => role !== "accepted");
  const [prefill, finished] = [prefillOf(events), finishedOf(events)];
  return {
    p: drafted.every(({ p }) => p !== null),
    q: drafted.every(({ q }) => q !== null),
    u: greedy || tested.every(({ u }) => u !== null),
    chance: greedy || last.every(({ u }) => u !== null),
    positions: tested.every(({ position }) => position),
    times: rounds.every(({ times }) => [times.draft, times.verify, times.decide].every((each) => each !== null)),
    cache: rounds.every(({ target_cache: cache }) => cache),
    passes: !finished || finished.draft_forwards !== null,
    prefill: !prefill || prefill.target_ms !== null,
  };
}

/** A round that began `start` ms after the first one of its lane. @param {Round} round @param {number} start
 * @param {number | null} draftPasses the passes of its draft, where they are told */
function roundView(round, start, draftPasses) {
  const { event, times, ...same } = round;
  const draftedAt = start + (times.draft ?? 0);
  const verifiedAt = draftedAt + (times.verify ?? 0);
  const decidedAt = verifiedAt + (times.decide ?? 0);
  const moments = tokenMoments(round, start, draftPasses, draftedAt, verifiedAt, decidedAt);
  const follows = branches(round) ? parents(round.drafted) : null;
  return {
    ...same,
    start: moment(start),
    drafted_at: moment(draftedAt),
    verified_at: moment(verifiedAt),
    decided_at: moment(decidedAt),
    end: moment(start + roundMs(round)),
    times: shortened(times),
    // of a tree with their moments, since not all of them stand in the text
    drafted: round.drafted.map((d, i) => (follows ? { ...draftedToken(d, follows[i]), ...moments[i] } : draftedToken(d, null))),
    emitted: round.emitted.map(emittedToken),
    residual: residualOf(round.residual),
    choice: shortened(round.choice),
    shown: spansOf(round, moments, decidedAt),
  };
}

/** The spans of one round in reading order: the draft block, struck or kept, then the token that follows it. `drafted`
 * and `emitted` point into the round. A draft token appears `at` its share of the drafting time, waits for the target's
 * pass, and gets its role when it is `decided`. What replaces or follows the block comes when all is decided. Of a tree
 * the path that stays is text, and after it the tokens that were turned down where it ends. @param {Round} round
 * @param {Moments} moments @param {number} decidedAt */
function spansOf(round, moments, decidedAt) {
  const { drafted, emitted } = round;
  let acceptedCount = 0;
  const block = textNodes(round).map((i) => {
    const { token, verdict } = drafted[i];
    const place = verdict === "accepted" ? acceptedCount++ : null;
    const [text, kind] = textAndKind(token, place === null ? "" : emitted[place].piece);
    return { role: verdict, text, kind, drafted: i, emitted: place, ...moments[i] };
  });
  const at = moment(decidedAt);
  const after = emitted.flatMap(({ token, role, piece }, i) => {
    const [text, kind] = textAndKind(token, piece);
    return role === "accepted" ? [] : [{ role, text, kind, drafted: null, emitted: i, at, decided: at }];
  });
  return [...block, ...after];
}

/** When each token was drafted: one after the other, level by level of a tree, all at once where one pass drafted several.
 * And when its verdict fell: of those examined one after the other in the order of the walk; the rest falls with the last of
 * them. @param {Round} round @param {number} start @param {number | null} draftPasses @param {number} draftedAt
 * @param {number} verifiedAt @param {number} decidedAt @returns {Moments} */
function tokenMoments({ drafted }, start, draftPasses, draftedAt, verifiedAt, decidedAt) {
  const deep = depths(drafted);
  const levels = draftPasses === 1 ? 1 : Math.max(0, ...deep);
  const draftTimes = evenMoments(start, draftedAt, levels);
  const order = examinedNodes(drafted);
  const verdictTimes = evenMoments(verifiedAt, decidedAt, order.length);
  return deep.map((depth, i) => ({
    at: moment(draftTimes[Math.min(depth, levels) - 1]),
    decided: moment(verdictTimes[order.indexOf(i)] ?? verdictTimes.at(-1) ?? decidedAt),
  }));
}

/** `count` moments spread evenly between two. @param {number} begin @param {number} end @param {number} count */
const evenMoments = (begin, end, count) =>
  Array.from({ length: count }, (_, i) => begin + ((end - begin) * (i + 1)) / (count + 1));

/** @typedef {{ body: object, shapes: string[][], tokens: [number, string, boolean][] }} Packed */

/** @type {{ text: string, picture: Picture } | null} whoever asks again for what was drawn last is given that */
let last = null;

/** @param {string} text @returns {Picture} */
export function readPicture(text) {
  if (last?.text !== text) last = { text, picture: pictureOf(unpack(JSON.parse(text)), ABOUT) };
  return last.picture;
}

/** A trace that was never packed is its own body. @param {Trace} trace @returns {Packed} */
export const asPacked = (trace) => ({ body: trace, shapes: [], tokens: [] });

/** @param {Packed} packed @returns {Trace} */
export function unpack({ body, shapes, tokens }) {
  /** @type {Token[]} */
  const byIndex = tokens.map(([id, text, partial]) => ({ id, text, partial }));
  /** @type {(value: any) => any} */
  const expand = (value) => {
    if (!Array.isArray(value)) return value;
    const names = shapes[value[0]];
    if (!names) return value.slice(1).map(expand);
    /** @type {Record<string, any>} */
    const fields = {};
    for (let i = 0; i < names.length; i++) fields[names[i]] = names[i] === "token" ? byIndex[value[i + 1]] : expand(value[i + 1]);
    return fields;
  };
  if (!shapes.length) return /** @type {Trace} */ (body);
  return /** @type {any} */ (Object.fromEntries(Object.entries(body).map(([name, part]) => [name, expand(part)])));
}

// A token as running text shows it and as an inspector does: its face, the distributions it was drawn from, what each rule
// would have kept there.

/** A moment on a lane's clock, to a tenth of a microsecond. @param {number} ms */
export const moment = (ms) => (Number.isFinite(ms) ? Number(ms.toFixed(4)) : 0);

/** Every number of a value, in few digits. @param {any} value @returns {any} */
export function shortened(value) {
  if (typeof value === "number") return Number.isInteger(value) ? value : short(value);
  if (value === null || typeof value !== "object" || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, shortened(each)]));
}

/** At most so many characters of a text. @param {string} text @param {number} longest */
export function truncate(text, longest) {
  const characters = [...text];
  if (characters.length <= longest) return text;
  const begin = characters.slice(0, longest - 1).join("");
  return `${begin.trimEnd()}…`;
}

// What each rule would have kept: at one position, and averaged over those that a run tested. The formulas:
// specviz/acceptance.py. Averages are over the texts that this run went through: under another rule it would have
// written another one, and tested other positions.

/** @typedef {"rejection" | "match" | "argmax"} RuleName */

/** @type {RuleName[]} drawn and tested by p/q; drawn and matched; the draft's largest */
const RULES = ["rejection", "match", "argmax"];

/** The chance to keep a draft token here, by rule; null where nothing was drafted, or an older trace does not say.
 * @param {Position | null} position */
export function chancesAt(position) {
  if (!position || position.product === null || position.beta === null) return null;
  const rejection = position.own ? position.own.beta : position.beta;
  return { rejection: short(rejection), match: short(position.product), argmax: short(position.best) };
}

/** The mean of each rule over the positions that were tested, the rule that ran, what it kept, and the rule with the
 * largest mean, none at temperature 0, where all are one; null where no position says. Where the argmax is drafted,
 * rejection, match and block verification keep x with one and the same chance, p(x).
 * @param {Config} config @param {Round[]} rounds @param {boolean} exact of the settings */
export function meanChances(config, rounds, exact) {
  const tested = rounds.flatMap(({ drafted }) => drafted).filter(({ verdict }) => verdict !== "unexamined");
  const allChances = tested.map(({ position }) => chancesAt(position)).filter((chances) => chances !== null);
  if (!allChances.length) return null;
  const greedy = config.temperature === 0;
  const means = RULES.map((rule) => sum(allChances.map((chances) => chances[rule] ?? 0)) / allChances.length);
  return {
    ...Object.fromEntries(RULES.map((rule, i) => [rule, short(means[i])])),
    positions: allChances.length,
    ran: greedy ? "greedy" : config.drafting === "argmax" && exact ? "argmax" : config.verifier,
    exact,
    accepted: ratio(tested.filter(({ verdict }) => verdict === "accepted").length, tested.length),
    most: greedy ? null : RULES[means.indexOf(Math.max(...means))],
  };
}

/** What a token looks like in running text: what it adds, or its own name when it adds nothing yet.
 * @param {Token} token @param {string} piece @returns {[string, string]} */
export function textAndKind(token, piece) {
  if (piece) return [clipText(piece), token.partial ? "completes" : "text"];
  return [clipText(token.text), token.partial ? "bytes" : "text"];
}

/** The prompt's tokens with their faces: characters are put together here from named bytes. @param {Token[]} tokens */
export function promptTokens(tokens) {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  return tokens.map((token) => {
    const piece = token.partial ? decoder.decode(bytesOf(token.text), { stream: true }) : "";
    const [text, kind] = textAndKind(token, piece);
    return { ...clippedToken(token), shown: text, kind };
  });
}

/** ⟨E2 80⟩ → its bytes; none of a text that is no such name. @param {string} name */
function bytesOf(name) {
  const hex = name.replace(/^[⟨⟩]+|[⟨⟩]+$/g, "").replace(/\s/g, "");
  if (!/^([0-9a-fA-F]{2})*$/.test(hex)) return new Uint8Array();
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

/** @param {Drafted} d @param {number | null} parent of a tree: where its parent stands in the picture */
export function draftedToken(d, parent) {
  const numbers = { q: short(d.q), p: short(d.p), ratio: short(d.ratio), u: short(d.u) };
  const block = { joint: short(d.joint), chance: short(d.chance) };
  const place = (d.parent ?? null) === null ? {} : { parent, depth: d.depth, rank: d.rank };
  const outcome = { verdict: d.verdict, position: distributions(d.position), ...(d.void ? { void: true } : {}) };
  return { token: clippedToken(d.token), ...numbers, ...block, ...place, ...outcome };
}

/** @param {Emitted} e */
export const emittedToken = (e) => ({
  token: clippedToken(e.token),
  role: e.role,
  u: short(e.u),
  position: distributions(e.position),
  ...(e.forced ? { forced: true } : {}),
});

/** p and q where a token was tested or drawn; null in a run that was not observed. @param {Position | null} position */
function distributions(position) {
  if (!position) return null;
  const { own, softmax } = position;
  const [p, q] = [short(position.p_entropy), short(position.q_entropy)];
  const entropies = own ? ["entropies_own", { p, s: short(own.entropy) }] : ["entropies", { p, q }];
  return {
    ...entriesOf(position),
    softmax: softmax ? entriesOf(softmax) : null,
    beta: short(position.beta),
    p_entropy: p,
    q_entropy: q,
    logits_entropy: short(position.logits_entropy ?? null),
    chances: chancesAt(position),
    own: own && { entries: own.entries.map(short), rest: short(own.rest) },
    told: [q === null ? ["entropy", { p }] : entropies], // sentences under the bars: which one, and the numbers in it
  };
}

/** @param {Softmax} shown what has entries and a rest */
const entriesOf = ({ entries, p_rest, q_rest }) => ({
  entries: entries.map(({ token, p, q }) => ({ token: clippedToken(token), p: short(p), q: short(q) })),
  p_rest: short(p_rest),
  q_rest: short(q_rest),
});

/** What a corrected token was drawn from; null in a round without one. @param {Residual | null} residual */
export function residualOf(residual) {
  if (!residual) return null;
  const entries = residual.entries.map(({ token, probability }) => ({
    token: clippedToken(token),
    p: short(probability),
  }));
  return { entries, rest: short(residual.rest), mass: short(residual.mass) };
}
