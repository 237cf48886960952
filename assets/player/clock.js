// One clock for all that a replay shows, and what stands where it is. t is milliseconds of decoding as measured; `slow` is
// how many times slower it is shown. Beats are the moments at which something is seen to happen: a replay may go from one
// to the next, however far apart they were measured. The phases of a round (draft → verify → decide → emit) and the steps
// in them are moments too; so is how much of a token has happened: no panel shows what has not.

import { branches, children, endOfPath, examinedNodes } from "../trace/events.js";

/** @import { Before, Clock, Config, Drafted, Lane, LaneName, Moment, NodeLook, Phase } from "../shared/types.js" */
/** @import { Picture, ReplayStep, RevealStage, Round, Slow, Stops, Token, TokenRef } from "../shared/types.js" */

export const SLOW = [1, 5, 25, 100];
export const STEPWISE = "step"; // a fifth speed, not to scale: every step holds equally long
const REAL_TIME_MS = 1000; // ms of decoding from which on a run is shown as long as it took: people can follow it
const LEAST_MS = 4000; // ms on screen: below that the eye cannot follow
const NEAR_MS = 1e-6; // ms: closer is the same moment
export const BEAT_MS = 1200; // ms on screen for one moment
const MOVE_MS = 400; // of them it takes to get there; then what is there holds

/** Real time for a run of more than a second; else the fastest speed at which the slower lane still takes a few
 * seconds. @param {number} duration */
export function slowdownFor(duration) {
  if (duration > REAL_TIME_MS) return 1;
  return SLOW.find((slow) => slow * duration >= LEAST_MS) || SLOW[SLOW.length - 1];
}

/** `longestStep`: ms that a frame takes on at most, however late it is: what is read is not skipped while a page is
 * busy. @param {number} duration @param {(clock: Clock) => void} paint @param {Partial<Stops>} [stops]
 * @param {number} [longestStep] @returns {Clock} */
export function makeClock(duration, paint, stops = {}, longestStep = Number.POSITIVE_INFINITY) {
  let last = 0;
  let frame = 0;
  /** What it plays from: a moment, at a speed, and how long that has gone on. @type
   * {{ t: number, slow: Slow, passed: number }} */
  let leg = { t: 0, slow: 0, passed: 0 };
  const startLeg = () => {
    leg = { t: clock.t, slow: clock.slow, passed: 0 };
  };

  function tick(/** @type {number} */ now) {
    if (leg.slow !== clock.slow) startLeg();
    leg.passed += Math.min(longestStep, Math.max(0, now - last));
    last = now;
    const next = timeAfter(leg.t, leg.passed, clock.slow, duration, clock.stops.steps);
    const halt = clock.stops.halts.find((t) => t > clock.t + 1e-9 && t <= next);
    clock.t = halt ?? next;
    clock.stepping = clock.slow === STEPWISE || halt !== undefined;
    if (clock.t >= duration || halt !== undefined) clock.playing = false;
    paint(clock);
    if (clock.playing) frame = requestAnimationFrame(tick);
  }

  /** @type {Clock} */
  const clock = {
    t: 0,
    duration,
    slow: slowdownFor(duration),
    playing: false,
    stepping: false,
    stops: { moments: [], steps: [], halts: [], ...stops },
    play() {
      if (clock.playing || !duration) return;
      if (clock.t >= duration) clock.t = 0;
      clock.playing = true;
      startLeg();
      last = performance.now();
      frame = requestAnimationFrame(tick);
      paint(clock);
    },
    pause() {
      cancelAnimationFrame(frame);
      clock.playing = false;
      paint(clock);
    },
    toggle() {
      if (clock.playing) clock.pause();
      else clock.play();
    },
    seek(t) {
      clock.stepping = false;
      clock.t = Math.max(0, Math.min(duration, t));
      startLeg();
      paint(clock);
    },
    stopAt(t) {
      cancelAnimationFrame(frame);
      clock.playing = false;
      clock.stepping = true;
      clock.t = t;
      paint(clock);
    },
    step(way, fine = false) {
      const { steps, moments } = clock.stops;
      clock.stopAt(nextStop(clock.t, way, fine ? steps : moments, duration));
    },
  };
  return clock;
}

/** Where a clock stands that was at t and has played for `passed` milliseconds on screen since. @param {number} t
 * @param {number} passed @param {Slow} slow @param {number} duration @param {number[]} steps */
function timeAfter(t, passed, slow, duration, steps) {
  if (typeof slow !== "number") return stepwiseTime(steps, t, passed, duration);
  return Math.min(duration, t + passed / slow);
}

/** The next of `stops`, or the one before; where there is none, the end or the beginning. @param {number} t
 * @param {1 | -1} way @param {number[]} stops @param {number} duration @param {number} near closer is the same */
export function nextStop(t, way, stops, duration, near = NEAR_MS) {
  if (way > 0) return stops.find((stop) => stop > t + near) ?? duration;
  return stops.findLast((stop) => stop < t - near) ?? 0;
}

/** Where a replay stands `passed` milliseconds on screen after it stood at time t: each beat has BEAT of them, of which
 * it holds all but the first; the last beat is the end. @param {number[]} beats @param {number} t
 * @param {number} passed @param {number} duration */
function stepwiseTime(beats, t, passed, duration) {
  const all = [...beats, duration];
  const next = all.findIndex((beat) => beat > t + 1e-9);
  const at = next + Math.floor(passed / BEAT_MS);
  if (next < 0 || at >= all.length) return duration;
  const from = at > next ? all[at - 1] : t;
  return from + (all[at] - from) * Math.min(1, (passed % BEAT_MS) / MOVE_MS);
}

/** Those of `times` that come later than all before them. @param {number[]} times */
export function rising(times) {
  let last = 0;
  return times.filter((t) => {
    if (t <= last + NEAR_MS) return false;
    last = t;
    return true;
  });
}

/** How many of a sorted list come no later than t. @template Item @param {Item[]} list @param {number} t
 * @param {(item: Item) => number} time */
export function upTo(list, t, time) {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (time(list[middle]) <= t) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Whether one pass of the draft made several tokens: then they are there at the same moment, if times are told.
 * @param {Round} round */
export function madeAtOnce(round) {
  const moments = new Set(round.drafted.map((_, i) => momentsOf(round, i).at));
  return round.drafted.length > 1 && !branches(round) && moments.size === 1 && !moments.has(round.start);
}

/** The token that is replaced at the end of a round: of siblings the last that was rejected. @param {Round} round */
export function lastRejected({ drafted }) {
  const at = children(drafted)[endOfPath(drafted) + 1].findLast((i) => drafted[i].verdict === "rejected");
  return at === undefined ? null : drafted[at];
}

/** When a drafted token was drawn, and when its verdict fell. Of a tree each token says it, of a chain its span.
 * @param {Round} round @param {number} i @returns {{ at: number, decided: number }} */
function momentsOf({ drafted, shown, end }, i) {
  const { at, decided } = drafted[i];
  if (at !== undefined && decided !== undefined) return { at, decided };
  return shown.find((span) => span.drafted === i) ?? { at: end, decided: end };
}

/** p/q, divided by θ of an accept threshold, or under block verification the chance to keep the block up to here. Where
 * q is 0 any u keeps the token. @param {Pick<Drafted, "ratio" | "chance">} drafted
 * @param {Pick<Config, "verifier" | "theta">} [config] */
export function limitOf({ ratio, chance }, config) {
  if (config?.verifier === "block" && chance !== null && chance !== undefined) return chance;
  return (ratio ?? Number.POSITIVE_INFINITY) / (config?.verifier === "threshold" ? config.theta : 1);
}

/** The phase that a round is in. @param {Round} round @param {number} t @returns {Phase} */
function phaseAt(round, t) {
  if (t + NEAR_MS < round.drafted_at && round.drafted.length) return "draft";
  if (t + NEAR_MS >= round.decided_at) return "emit";
  return round.drafted.length && t > round.verified_at + NEAR_MS ? "decide" : "verify";
}

/** A token is nothing, a draft, lit by the target's pass with all others at once, then what its verdict says. `falls`:
 * 0 until the verdict before it, 1 at its own; null where no u was drawn. @param {Round} round @param {number} t
 * @returns {Moment} */
export function momentAt(round, t) {
  const phase = phaseAt(round, t);
  const passing = t + NEAR_MS >= round.drafted_at;
  const moments = round.drafted.map((_, i) => momentsOf(round, i));
  /** @type {NodeLook[]} */
  const looks = round.drafted.map(({ verdict }, i) => {
    if (t + NEAR_MS < moments[i].at) return "";
    if (t + NEAR_MS >= moments[i].decided) return verdict;
    return passing ? "lit" : "drafted";
  });
  /** @type {(number | null)[]} */
  const falls = round.drafted.map(() => null);
  let from = round.verified_at;
  for (const i of examinedNodes(round.drafted)) {
    const to = moments[i].decided;
    if (round.drafted[i].u !== null) falls[i] = t + NEAR_MS >= to ? 1 : Math.max(0, (t - from) / (to - from));
    from = to;
  }
  const after = round.emitted.find(({ role }) => role !== "accepted");
  return {
    phase,
    looks,
    falls,
    checked: t + NEAR_MS >= round.verified_at,
    extra: phase === "emit" && after ? after.role : "",
  };
}

// The positions of a round's picture as tokens that are chosen, and back: 0 is the last token of the text before it,
// i + 1 drafted token i, −1 what came out.

/** @param {Lane} lane @param {Round} round @param {number} at @returns {TokenRef} */
export function refAt(lane, round, at) {
  if (at > 0) return draftedRef(round, at - 1, lane.name);
  if (at < 0) return lastRef(round, lane.name);
  const before = lane.rounds[round.index - 1];
  if (before) return lastRef(before, lane.name);
  return { lane: lane.name, prompt: lane.prompt.length - 1, drafted: null, emitted: null };
}

/** A drafted token, whether it stands in the text or not.
 * @param {Round} round @param {number} i @param {LaneName} lane @returns {TokenRef} */
function draftedRef(round, i, lane) {
  const emitted = round.shown.find((each) => each.drafted === i)?.emitted ?? null;
  return { lane, round: round.index, drafted: i, emitted };
}

/** The last token that a round gave out. @param {Round} round @param {LaneName} lane @returns {TokenRef} */
function lastRef({ index, shown }, lane) {
  const token = shown.findLast(({ emitted }) => emitted !== null);
  return { lane, round: index, drafted: token?.drafted ?? null, emitted: token?.emitted ?? null };
}

/** @param {TokenRef | null} ref @param {Round} round @returns {number | null} none where it is of another round */
export function placeOf(ref, round) {
  if (ref?.round !== round.index) return null;
  return ref.drafted === null ? -1 : ref.drafted + 1;
}

/** What a round's picture needs of the text before it. @param {Lane} lane @param {Round} round @returns {Before} */
export function beforeRound(lane, round) {
  const before = lane.rounds[round.index - 1];
  return { last: (before ? before.emitted.at(-1)?.token : lane.prompt.at(-1)) ?? null, read: readTokens(lane, round) };
}

/** The tokens that the target read at its positions: the text so far, then the block of this round. @param {Lane} lane
 * @param {Round} round @returns {Token[]} */
export function readTokens({ prompt, rounds }, round) {
  const before = rounds.slice(0, rounds.indexOf(round));
  const text = [...prompt, ...before.flatMap(({ emitted }) => emitted.map(({ token }) => token))];
  return [...text.slice(0, (round.target_cache?.before ?? text.length) + 1), ...round.drafted.map(({ token }) => token)];
}

/** @type {Phase[]} */
export const PHASES = ["draft", "verify", "decide", "emit"];

/** When each drafted token was drawn. @param {Round} round */
const draftTimes = (round) => round.drafted.map((_, i) => momentsOf(round, i).at);

/** When each verdict fell, in the order of the walk. @param {Round} round */
const verdictTimes = (round) => examinedNodes(round.drafted).map((i) => momentsOf(round, i).decided);

/** The step at which a phase of a round is seen: all drafted, the pass done, the first decided, the round at its end.
 * @param {Round} round @param {Phase} phase @returns {number | null} none where nothing was drafted */
export function phaseEnd(round, phase) {
  if (phase === "verify") return round.verified_at;
  if (phase === "emit") return round.end;
  if (!round.drafted.length) return null;
  if (phase === "draft") return Math.max(...draftTimes(round));
  return Math.min(...round.drafted.map((_, i) => momentsOf(round, i).decided));
}

/** The steps of a lane: all drafted, the pass done, one verdict after the other, what the round gives out.
 * @param {Lane} lane @param {number[]} [questions] moments between them */
export function stepsOf(lane, questions = []) {
  const moments = lane.rounds.flatMap((round) => {
    return [phaseEnd(round, "draft") ?? 0, round.verified_at, ...verdictTimes(round), round.end];
  });
  return rising(questions.length ? [...moments, ...questions].sort((a, b) => a - b) : moments);
}

/** Where somebody may be asked for the verdict that comes next: half way to it. @param {Lane} lane */
export function questionsOf(lane) {
  return lane.rounds.flatMap((round) => {
    const ends = [round.verified_at, ...verdictTimes(round)];
    return ends.slice(1).flatMap((end, i) => (end - ends[i] > 4 * NEAR_MS ? [(ends[i] + end) / 2] : []));
  });
}

/** Where a replay stands at time t; at the end of a round in its `emit`, between two verdicts before the later one.
 * @param {Lane} lane @param {number} t @returns {ReplayStep} */
export function stepAt(lane, t) {
  const before = upTo(lane.rounds, t - NEAR_MS, (round) => round.end);
  const round = lane.rounds[Math.min(before, lane.rounds.length - 1)];
  const examined = examinedNodes(round.drafted);
  const times = verdictTimes(round);
  const decided = times.filter((at) => at <= t + NEAR_MS).length;
  const drafted = draftTimes(round).filter((at) => at <= t + NEAR_MS).length;
  const phase = phaseAt(round, t);
  const isDeciding = phase === "decide" && decided < examined.length;
  const isPast = !decided || Math.abs(times[decided - 1] - t) > NEAR_MS;
  const [last, next] = [examined[decided - 1] ?? null, isDeciding && isPast ? examined[decided] : null];
  return { round, phase, drafted, decided, last, next, over: t > lane.duration + NEAR_MS };
}

/** The token that a step is about: what was drafted last, the first of the block that was checked, what was decided or
 * is next, what came out. @param {ReplayStep} step @param {LaneName} lane @returns {TokenRef | null} */
export function tokenOfStep({ round, phase, drafted, last, next }, lane) {
  const { shown } = round;
  if (phase === "emit") {
    const token = shown.findLast((each) => each.drafted === null) ?? shown.findLast((each) => each.emitted !== null);
    return token ? { lane, round: round.index, drafted: token.drafted, emitted: token.emitted } : null;
  }
  const i = { draft: drafted - 1, verify: 0, decide: next ?? last ?? 0 }[phase];
  return round.drafted[i] ? draftedRef(round, i, lane) : null;
}

/** @param {Picture} picture @param {TokenRef | null} ref @param {number} t @param {boolean} [asking] somebody is asked
 * for verdicts: where p alone would tell, it is not yet known @returns {RevealStage} */
export function revealStage({ header, lanes }, ref, t, asking = false) {
  if (!ref) return "";
  if (ref.round === undefined) return "out";
  const round = lanes[ref.lane]?.rounds[ref.round];
  const { drafted, emitted } = ref;
  const moments =
    drafted === null
      ? round?.shown.find((each) => each.drafted === null && each.emitted === emitted)
      : round?.drafted[drafted] && momentsOf(round, drafted);
  if (!round || !moments || t + NEAR_MS < moments.at) return "";
  if (t + NEAR_MS >= round.decided_at) return "out";
  if (t + NEAR_MS >= moments.decided) return "decided";
  return t + NEAR_MS < round.verified_at || (asking && header.config.greedy) ? "drafted" : "checked";
}

/** @typedef {Picture["lanes"]} Lanes */

/** The lanes that there are, from top to bottom. @param {Lanes} lanes */
export const lanesOf = ({ vanilla, speculative }) => [vanilla, speculative].filter((lane) => lane !== null);

/** @param {Lanes} lanes */
export const hasRounds = (lanes) => lanesOf(lanes).some(({ rounds }) => rounds.length > 0);
