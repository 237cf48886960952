// What became of a round, as a phone shows it.

import { el } from "../shared/dom.js";
import { fill } from "../shared/sentences.js";
import { chip } from "../shared/tokens.js";

/** @import { Token } from "../shared/types.js" */
/** @import { Played } from "./types.js" */

/**
 * What became of a guess: of what was drawn from all guesses, its beginning is this one's as far as both agree.
 * @param {Token[]} guess @param {Pick<Played, "drafted">} played
 */
export function ownPart(guess, { drafted }) {
  const parts = drafted.findIndex(({ token }, i) => token.id !== guess[i]?.id);
  const own = drafted.slice(0, parts < 0 ? drafted.length : parts);
  const of = (/** @type {string} */ verdict) =>
    own.filter((each) => each.verdict === verdict).map(({ token }) => token);
  return { drawn: own.length, kept: of("accepted"), rejected: of("rejected") };
}

/** The same in sentences. @param {Token[]} guess @param {Played | null} played @param {Record<string, string>} words */
export function guessSentences(guess, played, words) {
  if (!played || !guess.length) return [];
  const { drawn, kept, rejected } = ownPart(guess, played);
  const chips = (/** @type {Token[]} */ tokens) => tokens.map((token) => chip(token));
  const said = [
    drawn ? "" : fill(words.own_none),
    kept.length ? fill(words.own_kept, { tokens: el("span", null, chips(kept)) }) : "",
    rejected.length ? fill(words.own_rejected, { tokens: el("span", null, chips(rejected)) }) : "",
  ].filter(Boolean);
  return [el("h2", null, words.own), ...said.map((sentence) => el("p.ph-own", null, sentence))];
}

/**
 * @param {Played | null} played @param {Record<string, string>} words
 * @param {Record<string, { glyph: string, word: string }>} roles
 */
export function lastRound(played, words, roles) {
  if (!played) return [];
  const line = (/** @type {import("../shared/types.js").Token} */ token, /** @type {string} */ role) =>
    el(
      "li",
      { "data-role": role },
      el("span", { "aria-hidden": "true" }, roles[role].glyph),
      chip(token),
      el("span", null, words[role] ?? roles[role].word),
    );
  const drafted = played.drafted.map(({ token, verdict }) => line(token, verdict));
  const added = played.emitted.filter(({ role }) => role !== "accepted").map(({ token, role }) => line(token, role));
  return [
    el("h2", null, words.last),
    el("p", null, words.drawn),
    el("ul", null, drafted),
    el("p", null, words.went),
    el("ul", null, added),
  ];
}
