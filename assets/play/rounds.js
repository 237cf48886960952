// What a round of the game came to, as plain values. A point is a guess of which every token was kept.

/** @import { Played } from "../lab/classroom/types.js" */
/** @import { Chance, Outcome } from "./types.js" */

const SHOWN = 4; // words that the target found likely

/** @param {{ drafted: number, accepted: number } | undefined} counts */
export const wholeKept = (counts) => Boolean(counts?.drafted && counts.accepted === counts.drafted);

/** @param {Pick<Played, "people" | "emitted">} played @returns {Outcome} */
export function outcomeOf({ people, emitted }) {
  if (wholeKept(people)) return emitted.some(({ role }) => role === "bonus") ? "kept" : "kept_last";
  return people.accepted ? "part" : "struck";
}

/**
 * What the target found likely where the guess was decided: at its first token that was struck, else at its first. At
 * temperature 0 p is 1 for one token, so this is read from the same round at temperature 1, which has none where that
 * one was over before.
 * @param {Pick<Played, "drafted">} greedy @param {Pick<Played, "drafted">} warm @returns {Chance[]}
 */
export function chancesOf(greedy, warm) {
  const struck = greedy.drafted.findIndex(({ verdict }) => verdict === "rejected");
  const { token, place } = warm.drafted[Math.max(0, struck)] ?? {};
  if (!token || !place) return [];
  const all = place.entries.map((entry) => ({ token: entry.token, p: entry.p, own: entry.token.id === token.id }));
  const likely = all.filter(({ p }) => p > 0).sort((a, b) => b.p - a.p);
  const own = all.filter((one) => one.own && !likely.slice(0, SHOWN).includes(one));
  return [...likely.slice(0, SHOWN - own.length), ...own];
}
