// What a round of the game came to, as plain values. A point is a guess of which every token was kept.

/** @import { PlayedRound } from "../lab/classroom/types.js" */
/** @import { Chance, Outcome } from "./types.js" */

const MAX_WORDS = 4; // words that the target found likely

/** @param {{ drafted: number, accepted: number } | undefined} counts */
export const allAccepted = (counts) => Boolean(counts?.drafted && counts.accepted === counts.drafted);

/** @param {Pick<PlayedRound, "people" | "emitted">} played @returns {Outcome} */
export function outcomeOf({ people, emitted }) {
  if (allAccepted(people)) return emitted.some(({ role }) => role === "bonus") ? "kept" : "kept_last";
  return people.accepted ? "part" : "struck";
}

/**
 * What the target found likely where the guess was decided: at its first token that was struck, else at its first. At
 * temperature 0 p is 1 for one token, so this is read from the same round at temperature 1, which has none where that
 * one was over before.
 * @param {Pick<PlayedRound, "drafted">} greedy @param {Pick<PlayedRound, "drafted">} warm @returns {Chance[]}
 */
export function chancesOf(greedy, warm) {
  const rejectedAt = greedy.drafted.findIndex(({ verdict }) => verdict === "rejected");
  const { token, place } = warm.drafted[Math.max(0, rejectedAt)] ?? {};
  if (!token || !place) return [];
  const all = place.entries.map((entry) => ({ token: entry.token, p: entry.p, own: entry.token.id === token.id }));
  const likely = all.filter(({ p }) => p > 0).sort((a, b) => b.p - a.p);
  const guess = all.filter((one) => one.own && !likely.slice(0, MAX_WORDS).includes(one));
  return [...likely.slice(0, MAX_WORDS - guess.length), ...guess];
}
