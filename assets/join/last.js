// What became of a round, as a phone shows it.

import { el } from "../shared/dom.js";
import { chip } from "../shared/tokens.js";

/** @import { Played } from "./types.js" */

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
