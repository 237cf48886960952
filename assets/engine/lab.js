// What the Lab asks of the engine (specviz/lab): Luck, how much of a speedup is luck (luck.py); Sweep, drafters × K on one
// prompt (sweep.py); both of pairs, a drafter's run right after vanilla's, and of what many runs say together (measure.py).
// And people as the draft: what they guess is the block, how their guesses are spread is q (classroom.py).

import { expectedTokens, MAX_STALLED, MIN_ROUND_COST, median, roundsOf, stalledShare, sum } from "../trace/events.js";
import { decode } from "./decode.js";
import { Stateless, tableInfo } from "./draft.js";
import { PromptError } from "./text.js";
import { Mersenne } from "./twister.js";
import { argmax, draw, rowsOf } from "./verify.js";

/** @import { DraftContext } from "./draft.js" */
/** @import { Block, Config, Drafter, Finished, Round, Setup } from "./types.js" */
/** @import { Cell, LuckResult, LuckRun, Measure, Spread, SweepResult, Way, Where } from "../lab/types.js" */

const RESAMPLES = 1000;
const LEVEL = 0.95;

/** Null of no value. @param {number[]} values @returns {Spread | null} */
function spread(values) {
  if (!values.length) return null;
  const [first, third] = quartiles(values);
  const [low, high] = bootstrap([values], ([sample]) => median(sample));
  return { median: median(values), low, high, first, third, runs: values.length };
}

/** @param {number[]} values @returns {[number, number]} */
function quartiles(values) {
  const sorted = Float64Array.from(values).sort();
  const quartile = (/** @type {number} */ quarter) => {
    const place = quarter * (sorted.length - 1);
    const [i, rest] = [Math.floor(place / 4), place % 4];
    return (sorted[i] * (4 - rest) + (sorted[i + 1] ?? 0) * rest) / 4;
  };
  return [quartile(1), quartile(3)];
}

/** The middle LEVEL of what `statistic` says of the groups drawn again, each with replacement; the same each time.
 * @param {number[][]} groups @param {(samples: number[][]) => number} statistic @returns {[number, number]} */
function bootstrap(groups, statistic) {
  const random = new Mersenne(0);
  const resample = (/** @type {number[]} */ values) => values.map(() => values[Math.floor(random.random() * values.length)]);
  const statistics = Float64Array.from({ length: RESAMPLES }, () => statistic(groups.map(resample))).sort();
  const tail = Math.round((RESAMPLES * (1 - LEVEL)) / 2);
  return [statistics[tail], statistics[RESAMPLES - 1 - tail]];
}

/** The standard deviation that a normal law of these quartiles has. @param {number[]} values */
function deviation(values) {
  const [first, third] = quartiles(values);
  return (third - first) / 1.349;
}

/** How many differences like these tell them from 0 in four tries of five. @param {number[]} differences */
function runsToSeparate(differences) {
  const mean = sum(differences) / differences.length;
  return mean ? Math.max(2, ((2.8 * deviation(differences)) / mean) ** 2) : Infinity;
}

/** How many values like these until the 95 % interval of their median is ± `within`. @param {number[]} values
 * @param {number} within */
const runsToEstimate = (values, within) => Math.max(2, ((1.96 * Math.sqrt(Math.PI / 2) * deviation(values)) / within) ** 2);

/** @typedef {{ drafter: string, config: Config }} Setting */

const PRECISION = 0.05; // of the median
const FEWEST_RUNS = 4;
const MOST_RUNS = 10_000; // beyond which no number is given
/** @type {Measure[]} */
const MEASURES = ["alpha", "tokens_a_round", "speedup"];

/** Each with one run more: how far it is, and what sums up all runs so far.
 * @param {PairRunner} measurePair @param {Setting[]} settings one, or two to compare @param {number} seeds
 * @returns {Generator<{ done: number, of: number, summary: () => Omit<LuckResult, "sentence"> }, void, void>} */
export function* luck(measurePair, settings, seeds) {
  /** @type {[setting: number, n: number, again: boolean][]} */
  const plan = [];
  for (let n = 0; n < seeds; n++) {
    for (const i of settings.keys()) plan.push([i, n, false]);
    if (n) plan.push([0, 0, true]);
  }
  /** @type {LuckRun[]} */
  const dots = [];
  for (const [i, n, again] of plan) {
    const { drafter, config } = settings[i];
    const seed = (settings[0].config.seed + n) % 2 ** 32;
    const { alpha, tokens_a_round, speedup, disturbed } = measurePair(drafter, { ...config, seed });
    dots.push({ setting: i, seed, again, alpha, tokens_a_round, speedup: disturbed ? null : speedup, disturbed });
    yield { done: dots.length, of: plan.length, summary: () => luckSummary(settings, dots) };
  }
}

/** @param {Setting[]} settings @param {LuckRun[]} all @returns {Omit<LuckResult, "sentence">} */
function luckSummary(settings, all) {
  const dotsOf = (/** @type {number} */ i) => all.filter((dot) => dot.setting === i && !dot.again);
  const valuesOf = (/** @type {number} */ i, /** @type {Measure} */ measure) => dotsOf(i).flatMap((dot) => dot[measure] ?? []);
  const same = [...dotsOf(0).slice(0, 1), ...all.filter((dot) => dot.again)].flatMap((dot) => dot.speedup ?? []);
  const seconds = new Map(dotsOf(1).map((dot) => [dot.seed, dot.speedup]));
  const ratios = dotsOf(0).flatMap(({ seed, speedup }) => {
    const second = seconds.get(seed);
    return speedup && second ? speedup / second : [];
  });
  const logs = valuesOf(0, "speedup").map(Math.log);
  let runCount = Infinity;
  if (settings.length === 2 && ratios.length >= FEWEST_RUNS) runCount = runsToSeparate(ratios.map(Math.log));
  else if (settings.length === 1 && logs.length >= FEWEST_RUNS) runCount = runsToEstimate(logs, PRECISION);
  return {
    settings: settings.map(({ drafter, config: { K, temperature, verifier, drafting } }) => {
      return { drafter, K, temperature, verifier, drafting };
    }),
    dots: [...all],
    spreads: settings.map(
      (_, i) =>
        /** @type {LuckResult["spreads"][number]} */ (
          Object.fromEntries(MEASURES.map((measure) => [measure, spread(valuesOf(i, measure))]))
        ),
    ),
    same: spread(same),
    clock: clockShare(same.map(Math.log), logs, settings[0].config.temperature === 0),
    ratio: spread(ratios),
    needed: runCount > MOST_RUNS ? null : Math.ceil(runCount),
    disturbed: all.filter((dot) => dot.disturbed).length,
  };
}

/** The clock's share of the variance of the speedup, and its interval. @param {number[]} same logarithms
 * @param {number[]} seeds logarithms @param {boolean} greedy nothing else can differ
 * @returns {[number, number, number] | null} */
function clockShare(same, seeds, greedy) {
  if (Math.min(same.length, seeds.length) < FEWEST_RUNS) return null;
  if (greedy) return [1, 1, 1];
  const share = (/** @type {number[][]} */ [again, all]) => {
    const whole = deviation(all);
    return whole ? Math.min(1, (deviation(again) / whole) ** 2) : 1;
  };
  return [share([same, seeds]), ...bootstrap([same, seeds], share)];
}

/** @typedef {ReturnType<typeof measure>} Run */
/** @typedef {ReturnType<typeof runPair>} RunPair */
/** @typedef {(drafter: string, config: Config) => RunPair} PairRunner */

const WARM_UP_TOKENS = 12;

/** Pairs of runs after one prompt; a drafter's first run is warmed up first.
 * @param {Record<string, Setup>} setups by the name of what drafts @param {string} prompt @returns {PairRunner} */
export function pairRunner(setups, prompt) {
  const [{ target, text }] = Object.values(setups);
  const ids = text.encode(prompt);
  const positions = target.context - ids.length;
  if (positions < 2) throw new PromptError(`The prompt is ${ids.length} tokens long; ${target.context - 2} fit.`);
  const warmDrafters = new Set();
  const pair = (/** @type {Setup} */ setup, /** @type {Config} */ config) =>
    runPair(measure(setup, ids, { ...config, K: 0 }, false), measure(setup, ids, config, true));
  const runConfig = (/** @type {Config} */ config, maxTokens = config.max_new_tokens) => {
    return { ...config, ignore_eos: true, stop: [], max_new_tokens: Math.min(maxTokens, positions) };
  };
  const warmUp = (/** @type {string} */ drafter, /** @type {Config} */ config) => {
    if (!warmDrafters.has(drafter)) pair(setups[drafter], runConfig(config, WARM_UP_TOKENS));
    warmDrafters.add(drafter);
  };
  return (drafter, config) => {
    warmUp(drafter, config);
    return pair(setups[drafter], runConfig(config));
  };
}

/** One run in numbers; times in ms. @param {Setup} setup @param {number[]} ids @param {Config} config
 * @param {boolean} observe */
function measure(setup, ids, config, observe) {
  const events = [...decode(setup, ids, config, () => false, { observe })];
  const rounds = roundsOf(events);
  const end = /** @type {Finished} */ (events[events.length - 1]);
  const { tokens, drafted, decode_ms } = end;
  const betas = rounds.flatMap((round) => round.drafted.flatMap(({ position }) => position?.beta ?? []));
  return {
    pace: decode_ms / tokens,
    tokens,
    drafted,
    rounds: rounds.length,
    draft: sum(rounds.map(({ times }) => times.draft ?? 0)),
    verify: sum(rounds.map(({ times }) => times.verify ?? 0)),
    betas,
    lengths: rounds.map((round) => round.drafted.length),
    stalled: stalledShare(rounds),
  };
}

/** Both wrote as many tokens, after the same prompt, by the same seed. `alpha`: the mean of Σ min(p, q).
 * @param {Run} vanilla @param {Run} mine */
function runPair(vanilla, mine) {
  const speedup = vanilla.pace / mine.pace;
  const tokens_a_round = mine.tokens / mine.rounds;
  const alpha = mine.betas.length ? sum(mine.betas) / mine.betas.length : null;
  const isStalled = vanilla.stalled > MAX_STALLED || mine.stalled > MAX_STALLED;
  // of a clock that stood there is no time at all
  const disturbed = isStalled || !(speedup > 0 && speedup * MIN_ROUND_COST <= tokens_a_round);
  return { vanilla, mine, speedup, alpha, tokens_a_round, disturbed };
}

/** @typedef {{ drafted: number, tested: number, accepted: number, beta: number }} DraftCounts */

const SEED_COUNT = 2 ** 32;

/** @implements {Drafter} */
class Guesses {
  kind = "people";

  /** @param {number[][]} guesses ids @param {number} vocabulary */
  constructor(guesses, vocabulary) {
    this.guesses = guesses.filter(({ length }) => length);
    this.info = tableInfo("people", "people", vocabulary);
  }

  /** @param {DraftContext} context */
  begin(context) {
    return new GuessesSession(context, this.guesses);
  }
}

class GuessesSession extends Stateless {
  /** @param {DraftContext} context @param {number[][]} guesses */
  constructor(context, guesses) {
    super(context);
    this.guesses = guesses;
  }

  /** Where a block ends depends on tokens that are in it already, so its q is the one that it was drawn from.
   * @param {number[]} _tokens @param {number} k @param {number[] | null} u @returns {Block} */
  propose(_tokens, k, u) {
    const { q, vocabulary } = this.context;
    /** @type {number[]} */
    const ids = [];
    for (;;) {
      const nextIds = ids.length < k ? this._nextIds(ids) : [];
      if (!nextIds.length) break;
      const row = u ? q.row(ids.length).fill(0) : new Float32Array(vocabulary);
      for (const id of nextIds) row[id] += 1;
      for (const id of new Set(nextIds)) row[id] /= nextIds.length;
      ids.push(u ? draw(row, u[ids.length]) : argmax(row));
    }
    const tensor = u && ids.length ? q.first(ids.length) : null;
    return { ids, q: tensor && rowsOf(tensor), tensor, shortBlockReason: null };
  }

  /** @param {number[]} prefix */
  _nextIds(prefix) {
    const n = prefix.length;
    return this.guesses.flatMap((guess) => (guess.length > n && prefix.every((id, i) => guess[i] === id) ? guess[n] : []));
  }
}

/** One round after `text` that people draft, and for each of `others` one round after the same text, with as many
 * tokens. `ended`: why the text cannot go on, null if it can. @param {Setup} setup @param {number[]} text ids
 * @param {number[][]} guesses ids @param {Config} config @param {Record<string, Drafter>} others */
export function playRound(setup, text, guesses, config, others) {
  const { target } = setup;
  const k = Math.max(...guesses.map(({ length }) => length));
  const seed = (config.seed * 1_000_003 + text.length) % SEED_COUNT;
  const roundConfig = (/** @type {number} */ K) => ({ ...config, K, max_new_tokens: K + 1, seed });
  const round = oneRound({ ...setup, drafter: new Guesses(guesses, target.vocabulary) }, text, roundConfig(k));
  const sameLength = roundConfig(round.drafted.length);
  const scores = Object.entries(others).map(([key, drafter]) => {
    return { key, ...draftCounts(oneRound({ ...setup, drafter }, text, sameLength)) };
  });
  const last = round.emitted[round.emitted.length - 1];
  const full = text.length + round.emitted.length >= target.context;
  const ended = full ? "context" : last && setup.text.eos.has(last.token.id) ? "eos" : null;
  return { round, people: draftCounts(round), others: scores, ended };
}

/** @param {Setup} setup @param {number[]} text @param {Config} config @returns {Round} */
function oneRound(setup, text, config) {
  for (const event of decode(setup, text, config)) if (event.event === "round") return event;
  throw new PromptError("The text fills the target's context.");
}

/** @param {Round} round @returns {DraftCounts} */
function draftCounts({ drafted }) {
  const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
  return {
    drafted: drafted.length,
    tested: tested.length,
    accepted: tested.filter(({ verdict }) => verdict === "accepted").length,
    beta: tested.reduce((sum, { position }) => sum + (position?.beta ?? 0), 0),
  };
}

/** @typedef {{ where: Where, pairs: RunPair[] }} Place */

/** Each with one run more: how far it is, and what sums up all runs so far. @param {PairRunner} measurePair
 * @param {string[]} drafters @param {number[]} ks @param {number} turns @param {Config} config
 * @returns {Generator<{ done: number, of: number, summary: () => Omit<SweepResult, "ran"> }, void, void>}
 */
export function* sweep(measurePair, drafters, ks, turns, config) {
  const sizes = [...ks].sort((a, b) => a - b);
  /** @type {Place[]} */
  const all = drafters.flatMap((drafter) =>
    sizes.map((K) => ({ where: { drafter, K, temperature: config.temperature }, pairs: [] })),
  );
  /** @type {Place[]} */
  const order = [];
  const of = turns * all.length;
  let done = 0;
  for (let turn = 0; turn < turns; turn++)
    for (const place of turn ? order : firstTurn(all, sizes[0])) {
      const seed = (config.seed + turn) % 2 ** 32;
      const { drafter, K } = place.where;
      place.pairs.push(measurePair(drafter, { ...config, K, seed }));
      if (!turn) order.push(place);
      done += 1;
      yield { done, of, summary: () => sweepSummary(order, done, of) };
    }
}

/** The order of the first turn, worked out as it goes: each drafter at the least K, each where it promises most, the
 * rest. @param {Place[]} all @param {number} least @returns {Generator<Place, void, void>} */
function* firstTurn(all, least) {
  yield* all.filter(({ where }) => where.K === least);
  const same = (/** @type {Where} */ a, /** @type {Where} */ b) => a.drafter === b.drafter;
  const promise = new Map(
    all.map((place) => {
      const first = all.find(({ where }) => where.K === least && same(where, place.where));
      return [place, predictedSpeedup(/** @type {Place} */ (first).pairs[0], place.where.K)];
    }),
  );
  const rest = all.filter(({ where }) => where.K !== least).sort((a, b) => (promise.get(b) ?? 0) - (promise.get(a) ?? 0));
  const best = rest.filter((place, i) => rest.findIndex(({ where }) => same(where, place.where)) === i);
  yield* [...best, ...rest.filter((place) => !best.includes(place))];
}

/** What one run at another K promises for this K: v by a line through what was measured. @param {RunPair} pair
 * @param {number} K */
function predictedSpeedup(pair, K) {
  const { c, v } = passCosts([pair]);
  if (c === null || pair.alpha === null) return 0;
  const drafted = Math.max(1, ...pair.mine.lengths);
  return expectedTokens(pair.alpha, K) / (K * c + 1 + (Math.max(0, v - 1) * K) / drafted);
}

/** c and v of these runs; c is null where nothing was drafted. @param {RunPair[]} pairs */
function passCosts(pairs) {
  const total = (/** @type {(pair: RunPair) => number} */ of) => sum(pairs.map(of));
  const one = total(({ vanilla }) => vanilla.verify) / total(({ vanilla }) => vanilla.rounds);
  const drafted = total(({ mine }) => sum(mine.lengths));
  const v = total(({ mine }) => mine.verify) / total(({ mine }) => mine.rounds) / one;
  return { c: drafted ? total(({ mine }) => mine.draft) / drafted / one : null, v };
}

/** @param {RunPair[]} pairs */
function alphaOf(pairs) {
  const betas = pairs.flatMap(({ mine }) => mine.betas);
  return betas.length ? sum(betas) / betas.length : null;
}

/** @param {Place[]} places that were run @param {number} done @param {number} of @returns {Omit<SweepResult, "ran">} */
function sweepSummary(places, done, of) {
  const cells = places.map(summariseCell);
  return { done, of, cells, ways: fastestCells(places, cells) };
}

/** @param {Place} place @returns {Cell} */
function summariseCell({ where, pairs }) {
  const quiet = pairs.filter(({ disturbed }) => !disturbed);
  const { c, v } = quiet.length ? passCosts(quiet) : { c: null, v: null };
  const lengths = pairs.flatMap(({ mine }) => mine.lengths);
  const alpha = alphaOf(pairs);
  const drafted = sum(lengths) / lengths.length;
  const isKnown = c !== null && v !== null && alpha !== null;
  return {
    where,
    runs: pairs.length,
    speedup: spread(quiet.map(({ speedup }) => speedup)),
    tokens_a_round: sum(pairs.map(({ mine }) => mine.tokens)) / sum(pairs.map(({ mine }) => mine.rounds)),
    drafted_a_round: drafted,
    alpha,
    c,
    v,
    predicted: isKnown ? sum(lengths.map((n) => expectedTokens(alpha, n))) / lengths.length / (drafted * c + v) : null,
    disturbed: pairs.length - quiet.length,
  };
}

/** α against c by drafter, over all K; which of them no other one beats in both. @param {Place[]} places
 * @param {Cell[]} cells @returns {Way[]} */
function fastestCells(places, cells) {
  const points = [...new Set(places.map(({ where }) => where.drafter))].flatMap((drafter) => {
    const pairs = places.flatMap(({ where, pairs }) => (where.drafter === drafter ? pairs : []));
    const quiet = pairs.filter(({ disturbed }) => !disturbed);
    const [alpha, c] = [alphaOf(pairs), quiet.length ? passCosts(quiet).c : null];
    return alpha === null || c === null ? [] : [{ drafter, alpha, c }];
  });
  return points.map((point) => {
    const isBeaten = points.some(
      (other) =>
        other.drafter !== point.drafter &&
        other.c <= point.c &&
        other.alpha >= point.alpha &&
        (other.c < point.c || other.alpha > point.alpha),
    );
    const own = cells.flatMap(({ where, speedup }) =>
      speedup && where.drafter === point.drafter ? [{ K: where.K, speedup: speedup.median }] : [],
    );
    const top = own.find(({ speedup }) => speedup === Math.max(...own.map((each) => each.speedup)));
    return { ...point, best: !isBeaten, K: top?.K ?? null, speedup: top?.speedup ?? null };
  });
}
