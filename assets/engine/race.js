// Both lanes of one prompt, measured alike: one after the other, and again by turns where that is cheap; the run of the
// middle speedup is shown, the times of all are kept (specviz/engine/race.py). Whoever wants true times warms up first
// (costs.js). And where two greedy lanes part, and what both models found likely before temperature 0.

import { finishedOf, MAX_STALLED, median, roundsOf, stalledShare, sum } from "../trace/events.js";
import { decode } from "./decode.js";
import { DraftContext, NO_DRAFT, Stateless } from "./draft.js";
import { softmaxEntries } from "./events.js";
import { rowsOf, softmax } from "./verify.js";

/** @import { Llama } from "./model.js" */
/** @import { Config, Emitted, Event, LaneName, Lanes, Progress, Round, Setup, Softmax, Trace } from "./types.js" */
/** @import { Part } from "../shared/types.js" */

const REPEAT_SECONDS = 1; // for all repeats together
const MAX_RUNS = 15;
const SOFTMAX_SECONDS = 3; // of a lane, beyond which no pass of it is made again
const LANES = /** @type {LaneName[]} */ (["vanilla", "speculative"]);

/** Whole runs after the `first`, each what `run` gives, as long as one more fits. @param {Lanes} first
 * @param {() => Generator<[LaneName, Event], void, void>} run
 * @param {() => boolean} enough @returns {Generator<Lanes, void, void>} */
function* repeatRuns(first, run, enough) {
  const firstSeconds = seconds(first);
  let left = REPEAT_SECONDS;
  for (let i = 1; i < MAX_RUNS && firstSeconds !== null && firstSeconds <= left && !enough(); i++) {
    /** @type {Lanes} */
    const repeat = { vanilla: [], speculative: [] };
    for (const [lane, event] of run()) repeat[lane].push(event);
    const repeatSeconds = seconds(repeat);
    if (repeatSeconds === null || tokenIds(repeat) !== tokenIds(first)) return;
    yield repeat;
    left -= repeatSeconds;
  }
}

/** The run of the middle speedup, of two such the slower one, and the times of all in their order; none where there
 * is one run. Of a coarse clock a `note` says how its times were found.
 * @param {Lanes[]} runs @param {number} step of the clock, in ms; 0 where it is fine */
export function medianRun(runs, step) {
  const coarse = step && `the browser's clock steps by ${step.toFixed(1)} ms`;
  if (runs.length === 1) return { run: runs[0], repeats: [], note: coarse || "" };
  const ms = (/** @type {Lanes} */ run, /** @type {LaneName} */ lane) => finishedOf(run[lane])?.decode_ms ?? 0;
  const laneTime = (/** @type {number} */ decode_ms) => ({ decode_ms, processor_ms: null });
  const repeats = runs.map((run) => ({
    vanilla: laneTime(ms(run, "vanilla")),
    speculative: laneTime(ms(run, "speculative")),
  }));
  const speedup = (/** @type {number} */ i) => repeats[i].vanilla.decode_ms / Math.max(1e-9, repeats[i].speculative.decode_ms);
  const slowestFirst = runs.map((_, i) => i).sort((a, b) => speedup(a) - speedup(b));
  const run = runs[slowestFirst[(runs.length - 1) >> 1]];
  if (!coarse || !isQuiet(runs, step)) return { run, repeats, note: coarse || "" };
  const note = `${coarse}, so a phase of a round is shown as its mean in ${runs.length} runs`;
  return {
    run: { vanilla: averagedPhases(runs, run, "vanilla"), speculative: averagedPhases(runs, run, "speculative") },
    repeats,
    note,
  };
}

/** Whether no lane usually lost much time in rounds far slower than its others. @param {Lanes[]} runs
 * @param {number} step */
const isQuiet = (runs, step) =>
  LANES.every((lane) => median(runs.map((run) => stalledShare(roundsOf(run[lane]), step))) <= MAX_STALLED);

/** The lane of `run` with each phase of a round as its mean in all runs, which have the same rounds: the steps of a
 * coarse clock fall otherwise in each. All together they take what the lane of `run` took.
 * @param {Lanes[]} runs @param {Lanes} run @param {LaneName} lane @returns {Event[]} */
function averagedPhases(runs, run, lane) {
  const all = runs.map((one) => roundsOf(one[lane]));
  const means = all[0].map((_, i) => {
    const mean = (/** @type {Part} */ phase) => sum(all.map((rounds) => rounds[i].times[phase])) / runs.length;
    return { draft: mean("draft"), verify: mean("verify"), decide: mean("decide"), rest: mean("rest") };
  });
  const whole = sum(means.map(({ draft, verify, decide, rest }) => draft + verify + decide + rest));
  const scale = whole ? (finishedOf(run[lane])?.decode_ms ?? 0) / whole : 0;
  let i = 0;
  return run[lane].map((event) => {
    if (event.event !== "round") return event;
    const { draft, verify, decide, rest } = means[i++];
    const phases = { draft: scale * draft, verify: scale * verify, decide: scale * decide, rest: scale * rest };
    return { ...event, times: { ...event.times, ...phases } };
  });
}

/** What a whole run took, or some of its lanes, all of it; null where one of them ended early. @param {Lanes} run
 * @param {LaneName[]} [lanes] */
function seconds(run, lanes = LANES) {
  let ms = 0;
  for (const lane of lanes) {
    const end = finishedOf(run[lane]);
    if (!end || end.reason === "cancelled" || end.reason === "error") return null;
    ms += end.prefill_ms + end.decode_ms + end.observe_ms;
  }
  return ms / 1e3;
}

/** @param {Lanes} run */
function tokenIds(run) {
  return LANES.map((lane) => roundsOf(run[lane]).flatMap(({ emitted }) => emitted.map(({ token }) => token.id))).join();
}

/** Events of the vanilla lane, then of the speculative lane. @param {Setup} setup @param {number[]} prompt
 * @param {Config} config
 * @param {() => boolean} stop @returns {Generator<[LaneName, Event], void, void>} */
function* lanes(setup, prompt, config, stop) {
  for (const event of decode(setup, prompt, { ...config, K: 0 }, stop)) yield ["vanilla", event];
  if (stop()) return;
  for (const event of decode(setup, prompt, config, stop)) yield ["speculative", event];
}

/** Run both lanes; say how far they are; give the trace at the end. `machine`: as the trace's header names it; `step`:
 * of the clock, in ms, where it is coarse.
 * @param {Setup} setup @param {string} prompt @param {Config} config
 * @param {{ stop?: () => boolean, machine: Record<string, unknown>, repeat?: boolean, step?: number }} how
 * @returns {Generator<Progress, Trace, void>} */
export function* race(setup, prompt, config, { stop = () => false, machine, repeat = true, step = 0 }) {
  const ids = setup.text.encode(prompt);
  const drafter = config.K ? setup.drafter : null;
  const created = `${new Date().toISOString().slice(0, 19)}+00:00`;
  /** @type {Lanes} */
  const first = { vanilla: [], speculative: [] };
  const of = Math.min(config.max_new_tokens, setup.target.context - ids.length);
  const tokens = { vanilla: 0, speculative: 0 };
  for (const [lane, event] of lanes(setup, ids, config, stop)) {
    first[lane].push(event);
    if (event.event === "finished") continue;
    if (event.event === "round") tokens[lane] += event.emitted.length;
    yield { lane, tokens: tokens[lane], of, again: 0, event };
  }
  const runs = [first];
  if (repeat)
    for (const one of repeatRuns(first, () => lanes(setup, ids, config, stop), stop)) {
      runs.push(one);
      yield { lane: "speculative", tokens: tokens.speculative, of, again: runs.length, event: null };
    }
  const { run, repeats, note } = medianRun(runs, step);
  const isShort = seconds(run) !== null && (seconds(run, ["speculative"]) ?? Infinity) <= SOFTMAX_SECONDS;
  const isCheap = config.temperature === 0 && isShort && !stop();
  const header = {
    prompt,
    config,
    target: setup.target.info,
    draft: drafter?.info ?? null,
    machine: { ...machine, note },
    created,
    divergence: config.temperature === 0 ? divergence(setup.target, ids, run) : null,
    drafter: drafter?.kind ?? null,
    eos: [...setup.text.eos],
    chat: setup.text.chat !== null,
    repeats,
    engine: "specviz",
    engine_version: "",
    exact: true, // both rules are
  };
  return { header, ...(isCheap ? addSoftmax(setup, ids, config, run) : run) };
}

/** A greedy run with what target and draft found likely before temperature, beside each of its positions.
 * @param {Setup} setup @param {number[]} prompt @param {Config} config @param {Lanes} run @returns {Lanes} */
function addSoftmax(setup, prompt, config, run) {
  const { text, target } = setup;
  const { memory } = target.compiled;
  const mark = memory.mark();
  const passes = passesAgain(setup, prompt, config, roundsOf(run.speculative));
  /** @type {Softmax[]} */
  const alone = [];
  const speculative = run.speculative.map((event) => {
    if (event.event !== "round") return event;
    const [p, q] = /** @type {[Float32Array[], Float32Array[] | null]} */ (passes.next().value);
    alone.push(...p.map((row, i) => softmaxEntries(row, null, event.emitted[i].token.id, text)));
    const drafted = event.drafted.map((d, i) => {
      if (!d.position) return d;
      return { ...d, position: { ...d.position, softmax: softmaxEntries(p[i], q?.[i] ?? null, d.token.id, text) } };
    });
    return { ...event, drafted, emitted: withSoftmax(event.emitted, alone[alone.length - 1]) };
  });
  memory.release(mark);
  if (tokenIds({ vanilla: run.vanilla, speculative: [] }) !== tokenIds({ vanilla: speculative, speculative: [] }))
    return { ...run, speculative };
  let i = 0;
  const vanilla = run.vanilla.map((event) =>
    event.event === "round" ? { ...event, emitted: withSoftmax(event.emitted, alone[i++]) } : event,
  );
  return { vanilla, speculative };
}

/** @param {Emitted[]} emitted @param {Softmax} softmax beside the last */
const withSoftmax = (emitted, softmax) => emitted.map((e) => (e.position ? { ...e, position: { ...e.position, softmax } } : e));

/** Of each round of a greedy lane the softmax of the target's logits, after the text and after each of the tokens that it
 * wrote but the last, and of the draft's, which drew nothing there: null where nothing was drafted, or a copy.
 * @param {Setup} setup @param {number[]} prompt @param {Config} config @param {Round[]} rounds
 * @returns {Generator<[Float32Array[], Float32Array[] | null], void, void>} */
function* passesAgain({ target, drafter }, prompt, config, rounds) {
  const capacity = Math.min(prompt.length + config.max_new_tokens, target.context);
  const sequence = target.sequence(capacity);
  const sampled = { ...config, temperature: 1, top_k: 0, top_p: 1, drafting: /** @type {const} */ ("argmax"), confidence: 0 };
  const context = new DraftContext(sampled, target.vocabulary, capacity, sequence);
  const session = config.K && drafter && drafter.kind !== "lookup" ? drafter.begin(context) : new Stateless(context);
  const tokens = [...prompt];
  const before = tokens.slice(0, -1);
  if (before.length) sequence.append(before, 1);
  session.prefill(before);
  for (const { drafted, emitted } of rounds) {
    const u = drafted.map(() => 0); // that a q is made at all
    const block = u.length ? session.propose(tokens, u.length, u) : NO_DRAFT;
    const written = emitted.map(({ token }) => token.id);
    const input = [tokens[tokens.length - 1], ...written.slice(0, -1)];
    const p = rowsOf(sequence.append(input, input.length)).map((row) => softmax(row));
    const isSame = block.ids.join() === drafted.map(({ token }) => token.id).join();
    const q = isSame && block.q ? block.q.map((row) => row.slice()) : null;
    tokens.push(...written);
    session.observe(tokens);
    yield [p, q];
  }
}

/** The first token in which the lanes differ; null if neither has one that the other has not.
 * @param {Llama} target @param {number[]} prompt @param {Lanes} run */
export function divergence(target, prompt, { vanilla, speculative }) {
  const [alone, ours] = [vanilla, speculative].map((lane) =>
    roundsOf(lane).flatMap((round) => round.emitted.map((e) => e.token)),
  );
  const at = alone.slice(0, ours.length).findIndex((token, i) => token.id !== ours[i].id);
  if (at < 0) return null;
  const pair = [alone[at].id, ours[at].id];
  const before = [...prompt, ...ours.slice(0, at).map(({ id }) => id)];
  const one = logits(target, before.slice(0, -1), before.slice(-1), 0, pair);
  let first = 0; // tokens before the round that wrote it
  let round;
  for (const one of roundsOf(speculative)) {
    round = one;
    if (at < first + one.emitted.length) break;
    first += one.emitted.length;
  }
  const text = [...prompt, ...ours.slice(0, first).map(({ id }) => id)];
  const drafted = round?.drafted ?? [];
  const input = [...text.slice(-1), ...drafted.map(({ token }) => token.id)];
  const block = logits(target, text.slice(0, -1), input, at - first, pair);
  return { at, vanilla: alone[at], speculative: ours[at], alone: one, block };
}

/** The logits of both tokens after input[row], by a pass over `input` behind what is cached. @param {Llama} target
 * @param {number[]} cached @param {number[]} input @param {number} row @param {number[]} pair */
function logits(target, cached, input, row, [vanilla, speculative]) {
  const { memory } = target.compiled;
  const mark = memory.mark();
  const sequence = target.sequence(cached.length + input.length);
  if (cached.length) sequence.append(cached, 1);
  const rowLogits = sequence.append(input, input.length).row(row);
  const pair = { vanilla: rowLogits[vanilla], speculative: rowLogits[speculative] };
  memory.release(mark);
  return pair;
}
