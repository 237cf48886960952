// What the story of a recorded run tells, and when: a sentence, one round in plain words, both lanes to their end. All
// of it is in the run. Times are milliseconds of the story.

import { instructive } from "../watch/opening.js";
import { longest, steppedLane } from "../watch/state.js";
import { saidTokens } from "../watch/template.js";

/** @import { Header, Lane, Picture, Round, Shown } from "../shared/types.js" */
/** @import { Scene, Word } from "./types.js" */

const FIRST = 3500; // the sentence, which is read before anything moves much
const READ = 1800; // a sentence of the round
const LAST = 2200; // what takes the place of the struck word
const [EACH, TYPED] = [600, 2400]; // a word that flies in, and all of them
const [LEAST, MOST] = [5000, 10500]; // both lanes, on screen
const CONTEXT = 9; // words of the text before the round

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
  const shown = round.shown.filter(({ drafted }) => drafted !== null);
  const last = round.shown.find(({ drafted }) => drafted === null) ?? null;
  const each = Math.min(EACH, TYPED / shown.length);
  const typed = FIRST + each * shown.length;
  const kept = shown.filter(({ role }) => role === "accepted").length;
  const look = typed + 500;
  const verdicts = look + READ;
  const struck = verdicts + (kept ? READ : 0);
  const lost = shown.length - kept;
  const replaced = struck + (lost ? READ : 0);
  const race = replaced + LAST;
  const slow = paceOf(longest(picture));
  const duration = race + slow * longest(picture);
  /** @type {Word[]} */
  const words = shown.map((one, i) => {
    const stays = one.role === "accepted";
    return { shown: one, at: FIRST + each * i, decided: stays ? verdicts + 250 * i : struck };
  });
  if (last) words.push({ shown: last, at: replaced, decided: replaced });
  const pace = slow === 1 ? "real" : slow > 1 ? "slow" : "fast";
  /** @type {(Scene | null)[]} */
  const scenes = [
    { at: 0, says: "first" },
    { at: FIRST, says: "types", who: "small" },
    { at: look, says: "look", who: "large" },
    kept ? { at: verdicts, says: lost ? "kept" : "kept_all", who: "large" } : null,
    lost ? { at: struck, says: lost > 1 ? "struck" : "struck_one", who: "large" } : null,
    { at: replaced, says: last?.role === "corrected" ? "replaced" : "free", who: "large" },
    { at: race, says: `race_${pace}`, who: "both" },
    { at: duration, says: endOf(comparison), who: "both" },
  ];
  const told = scenes.filter((scene) => scene !== null);
  const values = {
    n: slow >= 1 ? slow : Math.round(1 / slow),
    speedup: comparison.speedup,
    alone: lanes.vanilla.numbers.target_forwards,
    own: lane.numbers.target_forwards,
  };
  const { question, written } = before(header, lane, round);
  return {
    question,
    before: written.map((text, i) => ({ text, at: 100 + 120 * i })),
    words,
    scenes: told,
    look: { from: look, to: verdicts },
    race,
    slow,
    duration,
    stills: [FIRST - 1, race - 1, duration],
    stops: [...told.slice(1).map(({ at }) => at - 1), duration].filter((at, i, all) => at > (all[i - 1] ?? 0)),
    values,
  };
}

/** The scene at a moment. @param {Scene[]} scenes @param {number} t */
export const sceneAt = (scenes, t) => scenes.findLast(({ at }) => at <= t) ?? scenes[0];

/** How a word of the round looks at a moment. @param {Word} word @param {number} t */
export function roleAt({ shown, at, decided }, t) {
  if (t < at) return "";
  return t < decided ? "drafted" : shown.role;
}

/** How far a word has flown in, from 0 to 1. @param {Word} word @param {number} t */
export const flownAt = ({ at }, t) => Math.min(1, Math.max(0, (t - at) / 350));

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
  const best = instructive({ ...lane, rounds: drafts.filter(inWords) }) ?? instructive({ ...lane, rounds: drafts });
  return best ?? drafts.find(({ drafted }) => drafted.length > 1) ?? drafts[0];
}

/** @param {Round} round */
const inWords = ({ shown }) => shown.every(({ text }) => /^\s\p{L}+$/u.test(text));

/**
 * What stands before a round: the last words, and the whole question where a chat template parts it from its answer.
 * @param {Header} header @param {Lane} lane @param {Round} round
 */
function before(header, { prompt, rounds }, { index }) {
  const answer = rounds.slice(0, index).flatMap(({ shown }) => shown.filter(stays).map(({ text }) => text));
  const [from, to] = saidTokens(prompt, header);
  const asked = prompt.slice(from, to).filter(({ kind }) => kind !== "special");
  const words = asked.map(({ shown }) => shown);
  const answers = to < prompt.length;
  const written = (answers ? answer : [...words, ...answer]).slice(-CONTEXT);
  return { question: answers ? words.join("") : "", written };
}

/** @param {Shown} shown */
const stays = ({ emitted }) => emitted !== null;

/**
 * How many times slower than measured both lanes are shown: in real time where that can be followed, else by a round
 * number.
 * @param {number} duration
 */
function paceOf(duration) {
  if (duration > MOST) return 1 / Math.ceil(duration / MOST);
  if (duration >= LEAST) return 1;
  const factor = LEAST / Math.max(1e-3, duration);
  const digit = 10 ** Math.floor(Math.log10(factor));
  return digit * Math.ceil(factor / digit);
}
