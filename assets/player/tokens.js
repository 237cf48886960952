// A token as running text shows it and as an inspector does: its face, the distributions it was drawn from, what each rule
// would have kept there. Numbers are as a screen can have them: few digits, nothing infinite (specviz/picture/replay.py).

import { sum } from "../trace/events.js";

/** @import { Config, Drafted, Emitted, Position, Residual, Round, Softmax, Token } from "../trace/types.js" */

/** Six significant digits of the twelve that are sent. @param {number | null | undefined} value */
export const short = (value) =>
  value !== null && value !== undefined && Number.isFinite(value) ? Number(Number(value.toPrecision(12)).toPrecision(6)) : null;

/** @param {number | null} part @param {number | null} whole */
export const ratio = (part, whole) => (part !== null && whole ? short(part / whole) : null);

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

const LONGEST = 120; // characters of one token that a screen shows

/** What a token looks like in running text: what it adds, or its own name when it adds nothing yet.
 * @param {Token} token @param {string} piece @returns {[string, string]} */
export function textAndKind(token, piece) {
  if (piece) return [clipText(piece), token.partial ? "completes" : "text"];
  return [clipText(token.text), token.partial ? "bytes" : "text"];
}

/** What is longer than a screen shows is cut, and says so. @param {string} text */
export function clipText(text) {
  const characters = [...text];
  if (characters.length <= LONGEST) return text;
  const begin = characters.slice(0, LONGEST - 1).join("");
  return `${begin}… (${characters.length.toLocaleString("en")} characters)`;
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

/** Which token it is, whatever text it stands in. @param {Token} token */
export const clippedToken = ({ id, text, partial }) => ({ id, text: clipText(text), partial });

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
  return {
    ...entriesOf(position),
    softmax: softmax ? entriesOf(softmax) : null,
    beta: short(position.beta),
    p_entropy: short(position.p_entropy),
    q_entropy: short(position.q_entropy),
    logits_entropy: short(position.logits_entropy ?? null),
    chances: chancesAt(position),
    own: own && { entries: own.entries.map(short), rest: short(own.rest) },
    told: [entropySentence(position)],
  };
}

/** @param {Softmax} shown what has entries and a rest */
const entriesOf = ({ entries, p_rest, q_rest }) => ({
  entries: entries.map(({ token, p, q }) => ({ token: clippedToken(token), p: short(p), q: short(q) })),
  p_rest: short(p_rest),
  q_rest: short(q_rest),
});

/** A sentence under the bars: which one, and the numbers in it. @param {Position} position */
function entropySentence({ p_entropy, q_entropy, own }) {
  const [p, q] = [short(p_entropy), short(q_entropy)];
  if (q === null) return ["entropy", { p }];
  return own ? ["entropies_own", { p, s: short(own.entropy) }] : ["entropies", { p, q }];
}

/** What a corrected token was drawn from; null in a round without one. @param {Residual | null} residual */
export function residualOf(residual) {
  if (!residual) return null;
  const entries = residual.entries.map(({ token, probability }) => ({
    token: clippedToken(token),
    p: short(probability),
  }));
  return { entries, rest: short(residual.rest), mass: short(residual.mass) };
}
