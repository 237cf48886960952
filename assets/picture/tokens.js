// A token as running text shows it and as an inspector does: its face, the distributions it was drawn from.

import { chancesAt } from "./chances.js";
import { short } from "./plain.js";

/** @import { Drafted, Emitted, Position, Residual, Token } from "../trace/types.js" */

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
  const { own } = position;
  return {
    entries: position.entries.map(({ token, p, q }) => ({ token: clippedToken(token), p: short(p), q: short(q) })),
    p_rest: short(position.p_rest),
    q_rest: short(position.q_rest),
    beta: short(position.beta),
    p_entropy: short(position.p_entropy),
    q_entropy: short(position.q_entropy),
    logits_entropy: short(position.logits_entropy ?? null),
    chances: chancesAt(position),
    own: own && { entries: own.entries.map(short), rest: short(own.rest) },
    told: [entropySentence(position)],
  };
}

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
