// What the panel shows, as plain values: the text, the rounds that were played, and what they come to.

/** @import { Played, Standing, State, Turn, Who } from "./types.js" */

export const WHO = /** @type {Who[]} */ (["alone", "turns", "room"]);
const NOTHING = { drafted: 0, tested: 0, accepted: 0, beta: 0 };

/** Who drafts the next round. @param {State} state @param {Record<string, any>} words @returns {string} */
export function player(state, words) {
  return state.who === "turns" ? words.players[state.turns.length % 2] : words.class;
}

/** The text goes on by what a round came to. @param {State} state @param {Played} played @param {string} by */
export function add(state, played, by) {
  state.turns.push({ ...played, player: by });
  for (const { token, role } of played.emitted) state.text.push({ token, role });
}

/**
 * Rounds of a room, each once and in their order, however often and by whom they are told.
 * @param {State} state @param {Played[]} rounds @param {string} by @returns {boolean} whether any of them is new
 */
export function addRounds(state, rounds, by) {
  const before = state.turns.length;
  for (const played of rounds) if (played.round === state.turns.length + 1) add(state, played, by);
  return state.turns.length > before;
}

/** Why the text is over, if it is. @param {State} state */
export const whyEnded = (state) => state.turns.at(-1)?.ended ?? null;

/**
 * α of all who drafted: people first, then the drafters, the best of them first.
 * @param {Turn[]} turns @returns {Standing[]}
 */
export function standings(turns) {
  /** @type {Map<string, Standing>} */
  const found = new Map();
  const count = (/** @type {string} */ name, /** @type {boolean} */ people, /** @type {typeof NOTHING} */ one) => {
    const key = `${people} ${name}`;
    const sum = found.get(key) ?? { name, people, ...NOTHING, alpha: null };
    for (const each of /** @type {const} */ (["drafted", "tested", "accepted", "beta"])) sum[each] += one[each];
    sum.alpha = sum.tested ? sum.beta / sum.tested : null;
    found.set(key, sum);
  };
  for (const turn of turns) {
    count(turn.player, true, turn.people);
    for (const other of turn.others) count(other.name, false, other);
  }
  const all = [...found.values()];
  const drafters = all.filter(({ people }) => !people).sort((a, b) => (b.alpha ?? -1) - (a.alpha ?? -1));
  return [...all.filter(({ people }) => people), ...drafters];
}

/** How many tokens of people were examined. @param {Standing[]} all */
export const countExamined = (all) => all.reduce((sum, { people, tested }) => sum + (people ? tested : 0), 0);

/**
 * A line for every token that people drafted or the target added, and one a round for each who drafted.
 * @param {State} state @param {string[]} names
 */
export function table({ turns }, names) {
  /** @type {(string | number | null)[][]} */
  const rows = [names];
  turns.forEach((turn, i) => {
    const counted = (/** @type {typeof NOTHING} */ one) => [one.drafted, one.tested, one.accepted, one.beta];
    const none = [null, null, null, null];
    for (const { token, verdict, p, q, u } of turn.drafted) {
      rows.push([i + 1, turn.player, token.text, verdict, p, q, u, ...none]);
    }
    for (const { token, role, chance } of turn.emitted.filter(({ role }) => role !== "accepted")) {
      rows.push([i + 1, turn.player, token.text, role, chance, null, null, ...none]);
    }
    rows.push([i + 1, turn.player, null, null, null, null, null, ...counted(turn.people)]);
    for (const other of turn.others) rows.push([i + 1, other.name, null, null, null, null, null, ...counted(other)]);
  });
  return rows;
}
