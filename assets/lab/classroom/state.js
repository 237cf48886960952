// What the panel shows, as plain values: the text, the rounds that were played, and what they come to.

/** @import { PlayedRound, DrafterScore, State, Turn, Who } from "./types.js" */

export const WHO = /** @type {Who[]} */ (["alone", "turns", "room"]);
const COUNTS = /** @type {const} */ (["drafted", "tested", "accepted", "beta"]);

/** Who drafts the next round. @param {State} state @param {Record<string, any>} words @returns {string} */
export function drafterName(state, words) {
  return state.who === "turns" ? words.players[state.turns.length % 2] : words.class;
}

/** The text goes on by what a round came to. @param {State} state @param {PlayedRound} round @param {string} drafter */
export function addRound(state, round, drafter) {
  state.turns.push({ ...round, player: drafter });
  for (const { token, role } of round.emitted) state.text.push({ token, role });
}

/**
 * Rounds of a room, each once and in their order, however often the server sends them.
 * @param {State} state @param {PlayedRound[]} rounds @param {string} drafter @returns {boolean} whether one is new
 */
export function addRounds(state, rounds, drafter) {
  const before = state.turns.length;
  for (const round of rounds) if (round.round === state.turns.length + 1) addRound(state, round, drafter);
  return state.turns.length > before;
}

/** Why the text is over, if it is. @param {State} state */
export const whyEnded = (state) => state.turns.at(-1)?.ended ?? null;

/** The counts of all who drafted a round, people first. @param {Turn} turn */
const countsOf = ({ player, people, others }) => [
  { ...people, name: player, people: true },
  ...others.map((other) => ({ ...other, people: false })),
];

/**
 * α of all who drafted: people first, then the drafters, the best of them first.
 * @param {Turn[]} turns @returns {DrafterScore[]}
 */
export function scoresOf(turns) {
  /** @type {Map<string, DrafterScore>} */
  const scores = new Map();
  for (const counts of turns.flatMap(countsOf)) {
    const { name, people } = counts;
    const key = `${people} ${name}`;
    const score = scores.get(key) ?? { name, people, drafted: 0, tested: 0, accepted: 0, beta: 0, alpha: null };
    for (const each of COUNTS) score[each] += counts[each];
    score.alpha = score.tested ? score.beta / score.tested : null;
    scores.set(key, score);
  }
  const all = [...scores.values()];
  const drafters = all.filter(({ people }) => !people).sort((a, b) => (b.alpha ?? -1) - (a.alpha ?? -1));
  return [...all.filter(({ people }) => people), ...drafters];
}

/** How many tokens of people were examined. @param {DrafterScore[]} all */
export const countExamined = (all) => all.reduce((sum, { people, tested }) => sum + (people ? tested : 0), 0);

/**
 * A line for every token that people drafted or the target added, and one a round for each who drafted.
 * @param {State} state @param {string[]} names
 */
export function csvRows({ turns }, names) {
  /** @type {(string | number | null)[][]} */
  const rows = [names];
  turns.forEach((turn, i) => {
    const none = [null, null, null, null];
    for (const { token, verdict, p, q, u } of turn.drafted) {
      rows.push([i + 1, turn.player, token.text, verdict, p, q, u, ...none]);
    }
    for (const { token, role, chance } of turn.emitted.filter(({ role }) => role !== "accepted")) {
      rows.push([i + 1, turn.player, token.text, role, chance, null, null, ...none]);
    }
    for (const counts of countsOf(turn)) {
      rows.push([i + 1, counts.name, null, null, null, null, null, ...COUNTS.map((name) => counts[name])]);
    }
  });
  return rows;
}
