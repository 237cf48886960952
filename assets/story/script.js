// What the story of a recorded run tells, and when: a sentence, one round in plain words, both lanes to their end. All
// of it is in the run. Times are milliseconds of the story.

import { instructiveRound } from "../watch/opening.js";
import { longestDuration, steppedLane } from "../watch/state.js";
import { userTokens } from "../watch/template.js";

/** @import { Header, Lane, Picture, Round, TextSpan } from "../shared/types.js" */
/** @import { Scene, Word } from "./types.js" */

const FIRST_MS = 3500; // the sentence, which is read before anything moves much
const READ_MS = 1800; // a sentence of the round
const LAST_MS = 2200; // what takes the place of the struck word
const [WORD_MS, BLOCK_MS] = [600, 2400]; // a word that flies in, and all of them
const [MIN_RACE_MS, MAX_RACE_MS] = [5000, 10500]; // both lanes, on screen
const CONTEXT_WORDS = 9; // words of the text before the round

/**
 * Null where a run has no such story: without drafts, with a rule that is not exact, without both lanes. `question`:
 * what a chat model was asked; `before`: the words that the round goes on from, and when each comes; `look`: while the
 * large model looks; `race`: when both lanes begin, which are shown `slow` times slower than measured; `stills`: a
 * moment of each beat; `stops`: where whoever steps stands.
 * @param {Picture} picture
 */
export function storyOf(picture) {
  const { comparison, header, lanes } = picture;
  const lane = steppedLane(picture);
  const round = lane && roundOf(lane);
  if (!lane || !round || !lanes.vanilla || !comparison?.speedup || !header.config.exact) return null;
  const drafts = round.shown.filter(({ drafted }) => drafted !== null);
  const last = round.shown.find(({ drafted }) => drafted === null) ?? null;
  const each = Math.min(WORD_MS, BLOCK_MS / drafts.length);
  const draftEnd = FIRST_MS + each * drafts.length;
  const accepted = drafts.filter(({ role }) => role === "accepted").length;
  const look = draftEnd + 500;
  const verdicts = look + READ_MS;
  const rejectedAt = verdicts + (accepted ? READ_MS : 0);
  const rejected = drafts.length - accepted;
  const replacedAt = rejectedAt + (rejected ? READ_MS : 0);
  const race = replacedAt + LAST_MS;
  const slow = paceOf(longestDuration(picture));
  const duration = race + slow * longestDuration(picture);
  /** @type {Word[]} */
  const words = drafts.map((one, i) => {
    const stays = one.role === "accepted";
    return { token: one, at: FIRST_MS + each * i, decided: stays ? verdicts + 250 * i : rejectedAt };
  });
  if (last) words.push({ token: last, at: replacedAt, decided: replacedAt });
  const pace = slow === 1 ? "real" : slow > 1 ? "slow" : "fast";
  /** @type {(Scene | null)[]} */
  const candidates = [
    { at: 0, key: "first" },
    { at: FIRST_MS, key: "types", who: "small" },
    { at: look, key: "look", who: "large" },
    accepted ? { at: verdicts, key: rejected ? "kept" : "kept_all", who: "large" } : null,
    rejected ? { at: rejectedAt, key: rejected > 1 ? "struck" : "struck_one", who: "large" } : null,
    { at: replacedAt, key: last?.role === "corrected" ? "replaced" : "free", who: "large" },
    { at: race, key: `race_${pace}`, who: "both" },
    { at: duration, key: endOf(comparison), who: "both" },
  ];
  const scenes = candidates.filter((scene) => scene !== null);
  const values = {
    n: slow >= 1 ? slow : Math.round(1 / slow),
    speedup: comparison.speedup,
    alone: lanes.vanilla.numbers.target_forwards,
    own: lane.numbers.target_forwards,
  };
  const { question, context } = contextOf(header, lane, round);
  return {
    question,
    before: context.map((text, i) => ({ text, at: 100 + 120 * i })),
    words,
    scenes,
    look: { from: look, to: verdicts },
    race,
    slow,
    duration,
    stills: [FIRST_MS - 1, race - 1, duration],
    stops: [...scenes.slice(1).map(({ at }) => at - 1), duration].filter((at, i, all) => at > (all[i - 1] ?? 0)),
    values,
  };
}

/** The scene at a moment. @param {Scene[]} scenes @param {number} t */
export const sceneAt = (scenes, t) => scenes.findLast(({ at }) => at <= t) ?? scenes[0];

/** How a word of the round looks at a moment. @param {Word} word @param {number} t */
export function roleAt({ token: shown, at, decided }, t) {
  if (t < at) return "";
  return t < decided ? "drafted" : shown.role;
}

/** How far a word has flown in, from 0 to 1. @param {Word} word @param {number} t */
export const flightAt = ({ at }, t) => Math.min(1, Math.max(0, (t - at) / 350));

/** What is said at the end. @param {import("../shared/types.js").Comparison} comparison */
function endOf({ kind, same }) {
  if (kind === "disturbed") return same ? "end_same_counts" : "end_counts";
  return same ? "end_same" : "end";
}

/** A round of which something stays and something is replaced, of whole words where there is one; else one that is kept
 * whole, else any that drafted.
 * @param {Lane} lane @returns {Round | null} */
function roundOf(lane) {
  const drafts = lane.rounds.filter(
    ({ drafted, shown }) => drafted.length && shown.some((one) => one.drafted !== null),
  );
  const instructive =
    instructiveRound({ ...lane, rounds: drafts.filter(isWords) }) ?? instructiveRound({ ...lane, rounds: drafts });
  return instructive ?? drafts.find(({ drafted }) => drafted.length > 1) ?? drafts[0];
}

/** @param {Round} round */
const isWords = ({ shown }) => shown.every(({ text }) => /^\s\p{L}+$/u.test(text));

/**
 * What stands before a round: the last words, and the whole question where a chat template parts it from its answer.
 * @param {Header} header @param {Lane} lane @param {Round} round
 */
function contextOf(header, { prompt, rounds }, { index }) {
  const answer = rounds.slice(0, index).flatMap(({ shown }) => shown.filter(isEmitted).map(({ text }) => text));
  const [from, to] = userTokens(prompt, header);
  const promptTokens = prompt.slice(from, to).filter(({ kind }) => kind !== "special");
  const words = promptTokens.map(({ shown }) => shown);
  const hasAnswer = to < prompt.length;
  const context = (hasAnswer ? answer : [...words, ...answer]).slice(-CONTEXT_WORDS);
  return { question: hasAnswer ? words.join("") : "", context };
}

/** @param {TextSpan} shown */
const isEmitted = ({ emitted }) => emitted !== null;

/**
 * How many times slower than measured both lanes are shown: in real time where that can be followed, else by a round
 * number.
 * @param {number} duration
 */
function paceOf(duration) {
  if (duration > MAX_RACE_MS) return 1 / Math.ceil(duration / MAX_RACE_MS);
  if (duration >= MIN_RACE_MS) return 1;
  const factor = MIN_RACE_MS / Math.max(1e-3, duration);
  const digit = 10 ** Math.floor(Math.log10(factor));
  return digit * Math.ceil(factor / digit);
}
