// What is asked of a lane's events again and again (specviz/trace/events.py); a drafted block, as its tokens tell it
// (specviz/trace/tree.py): a chain is the tree in which each token has a child; its numbers and texts as a screen can
// have them: few digits, nothing infinite (specviz/picture/replay.py); what marks a trace file; and whether the times of a run
// can be trusted.

/** @import { Drafted, Event, LaneName, PhaseTimes, Prefill, Round, Token, Trace } from "./types.js" */

/** @type {LaneName[]} */
export const LANES = ["vanilla", "speculative"];

/** @template {{ event: string }} E @param {E[]} events @returns {Extract<E, { event: "round" }>[]} */
export const roundsOf = (events) => /** @type {any[]} */ (events.filter(({ event }) => event === "round"));

/** @param {Event[]} events */
export const prefillOf = (events) => /** @type {Prefill | undefined} */ (events.find(({ event }) => event === "prefill"));

/** @template {{ event: string }} E @param {E[]} events @returns {Extract<E, { event: "finished" }> | undefined} */
export const finishedOf = (events) => /** @type {any} */ (events.find(({ event }) => event === "finished"));

/** The rounds that were decoded, each by a pass of its own: all, but for one that another engine's prefill wrote.
 * @param {Event[]} events */
export const decodedRounds = (events) => roundsOf(events).filter(({ fewer }) => fewer !== "prefill");

/** Milliseconds of a round, without what observing it took. @param {{ times: PhaseTimes }} round */
export const roundMs = ({ times }) => (times.draft ?? 0) + (times.verify ?? 0) + (times.decide ?? 0) + times.rest;

/** Whether the text is distributed as the target alone writes it. @param {{ K: number, temperature: number,
 * verifier: string, theta: number }} config @param {Record<string, { exact: boolean }>} rules */
export const isExact = (config, rules) =>
  config.temperature === 0 ||
  config.K === 0 ||
  rules[config.verifier].exact ||
  (config.verifier === "threshold" && config.theta === 1);

/** @param {readonly number[]} values */
export const sum = (values) => values.reduce((all, each) => all + each, 0);

/** @param {number[]} values */
export function median(values) {
  const sorted = Float64Array.from(values).sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
}

/** Six significant digits of the twelve that are sent. @param {number | null | undefined} value */
export const short = (value) =>
  value !== null && value !== undefined && Number.isFinite(value) ? Number(Number(value.toPrecision(12)).toPrecision(6)) : null;

/** @param {number | null} part @param {number | null} whole */
export const ratio = (part, whole) => (part !== null && whole ? short(part / whole) : null);

const LONGEST = 120; // characters of one token that a screen shows

/** What is longer than a screen shows is cut, and says so. @param {string} text */
export function clipText(text) {
  const characters = [...text];
  if (characters.length <= LONGEST) return text;
  const begin = characters.slice(0, LONGEST - 1).join("");
  return `${begin}… (${characters.length.toLocaleString("en")} characters)`;
}

/** Which token it is, whatever text it stands in. @param {Token} token */
export const clippedToken = ({ id, text, partial }) => ({ id, text: clipText(text), partial });

/** Mean tokens a round if each draft token stays with chance α (Leviathan et al. 2022, eq. 1). @param {number} alpha
 * @param {number} K */
export const expectedTokens = (alpha, K) => sum(Array.from({ length: K + 1 }, (_, i) => alpha ** i));

/** Mean tokens a step; one chance alone is α, the last stands for all after it. @param {number[]} chances
 * @param {number} K */
export function tokensOf(chances, K) {
  let total = 1;
  let reach = 1;
  for (let i = 0; i < K; i++) {
    reach *= chances[Math.min(i, chances.length - 1)];
    total += reach;
  }
  return total;
}

/** @typedef {{ parent?: number | null }} Node of a trace, or of a picture of it */
/** @typedef {Node & { verdict: Drafted["verdict"] }} DecidedNode */

/** Whether a tree was drafted. @param {{ drafted: Node[] }} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => (parent ?? null) !== null);

/** Of each token the one that it follows, −1 for the text. @param {Node[]} drafted */
export const parents = (drafted) => drafted.map(({ parent }, i) => parent ?? i - 1);

/** Of the text, then of each token, those that follow it, by rank. @param {Node[]} drafted */
export function children(drafted) {
  /** @type {number[][]} */
  const nodes = [[], ...drafted.map(() => [])];
  for (const [i, parent] of parents(drafted).entries()) nodes[parent + 1].push(i);
  return nodes;
}

/** The accepted tokens, each of which follows the one before. @param {DecidedNode[]} drafted */
export const path = (drafted) => drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [i] : []));

/** Where that path ends, −1 at the text. @param {DecidedNode[]} drafted */
export const endOfPath = (drafted) => path(drafted).at(-1) ?? -1;

/** The tokens that stand in the running text: of a tree the path that stays, and what was turned down where it ends.
 * @param {Round} round */
export function textNodes(round) {
  const { drafted } = round;
  if (!branches(round)) return drafted.map((_, i) => i);
  return [...path(drafted), ...children(drafted)[endOfPath(drafted) + 1]];
}

/** A token for each depth that the tree reaches: that of the path; where it ends the last that was turned down; then
 * any. @param {Drafted[]} drafted */
export function pathByDepth(drafted) {
  /** @type {Map<number, Drafted>} */
  const byDepth = new Map();
  for (const [i, depth] of depths(drafted).entries()) {
    const entry = byDepth.get(depth);
    const { verdict } = drafted[i];
    if (!entry || verdict === "accepted" || (verdict === "rejected" && entry.verdict === "unexamined"))
      byDepth.set(depth, drafted[i]);
  }
  return [...byDepth].sort(([a], [b]) => a - b).map(([, one]) => one);
}

/** The tokens that were examined, in the order of the walk: siblings by rank, then the children of the one that
 * stayed. @param {DecidedNode[]} drafted */
export function examinedNodes(drafted) {
  const below = children(drafted);
  /** @type {number[]} */
  const nodes = [];
  for (let at = -1; at < 0 || drafted[at].verdict === "accepted"; at = nodes[nodes.length - 1]) {
    const here = below[at + 1].filter((i) => drafted[i].verdict !== "unexamined");
    if (!here.length) break;
    nodes.push(...here);
  }
  return nodes;
}

/** How far each token reaches past the text, from 1. @param {Node[]} drafted */
export function depths(drafted) {
  /** @type {number[]} */
  const depths = [];
  for (const parent of parents(drafted)) depths.push(1 + (parent >= 0 ? depths[parent] : 0));
  return depths;
}

/** Tokens drafted in a round at most (specviz/config.py, `most`).
 * @param {{ K: number, tree?: string, children?: string, nodes?: number }} config */
export function mostOf({ K, tree, children, nodes }) {
  if ((tree ?? "off") === "off" || !K) return K;
  if (tree === "dynamic") {
    const breadth = Math.ceil(Math.sqrt(nodes ?? 0));
    return Math.min(nodes ?? 0, breadth * (1 + breadth * (K - 1)));
  }
  const widths = (children ?? "").split("-").map(Number);
  let [total, level] = [0, 1];
  for (let depth = 0; depth < K; depth++) {
    level *= widths[Math.min(depth, widths.length - 1)];
    total += level;
  }
  return total;
}

export const TAG = { format: "specviz-trace", version: 1 };

/** The digest of bytes in hex digits. @param {BufferSource} bytes */
export async function sha256(bytes) {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  return [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
}

// Whether the times of a run can be trusted: signs that something else had the machine (specviz/trace/disturbed.py).

/** @typedef {"processor" | "stalled" | "cheap" | "unlike" | "apart"} Kind */
/** @typedef {{ drafted: { length: number }, times: PhaseTimes }} TimedRound */
/** @typedef {{ kind: Kind, lane: LaneName | null, value: number }} Sign */

const MIN_SHARE = 0.9; // at least
export const MAX_STALLED = 0.15;
const SLOW = 1.5;
export const MIN_ROUND_COST = 0.95;
const ALIKE = 1.2;

/** All that speak against the times of a trace. @param {Trace} trace @returns {Sign[]} */
export function signs(trace) {
  /** @type {Sign[]} */
  const ofLanes = [];
  for (const lane of LANES) {
    const share = processorShare(trace, lane);
    const stalled = stalledShare(decodedRounds(trace[lane]));
    if (share !== null && share < MIN_SHARE) ofLanes.push({ kind: "processor", lane, value: share });
    if (stalled > MAX_STALLED) ofLanes.push({ kind: "stalled", lane, value: stalled });
  }
  return [...ofLanes, ...impossible(trace)];
}

/** What cannot be: a round that is cheaper than the one pass of the target in it. @param {Trace} trace
 * @returns {Sign[]} */
function impossible(trace) {
  const [vanilla, speculative] = LANES.map((lane) => decodedRounds(trace[lane]));
  const tokens = sum(vanilla.map(({ emitted }) => emitted.length));
  const ms = sum(vanilla.map(roundMs));
  if (!speculative.length || !tokens || !ms) return [];
  const cost = sum(speculative.map(roundMs)) / speculative.length / (ms / tokens);
  if (!cost) return [];
  const alike = (/** @type {number} */ value) => value >= 1 / ALIKE && value <= ALIKE;
  if (!speculative.some(({ drafted }) => drafted.length))
    return alike(cost) ? [] : [{ kind: "unlike", lane: null, value: 1 / cost }];
  const apart = slowness(vanilla) / slowness(speculative);
  /** @type {Sign[]} */
  const cheap = cost < MIN_ROUND_COST ? [{ kind: "cheap", lane: null, value: cost }] : [];
  return alike(apart) ? cheap : [...cheap, { kind: "apart", lane: null, value: apart }];
}

/** The median share of its time in which the lane's thread had a processor. @param {Trace} trace
 * @param {LaneName} lane */
function processorShare(trace, lane) {
  const end = finishedOf(trace[lane]);
  const { repeats } = trace.header;
  const times = repeats.length ? repeats.map((repeat) => repeat[lane]) : end ? [end] : [];
  const shares = times.flatMap(({ decode_ms: ms, processor_ms }) => (processor_ms !== null && ms ? [processor_ms / ms] : []));
  return shares.length ? median(shares) : null;
}

/** The share of a lane's time beyond SLOW times what such a round usually takes, and beyond the `step` of a clock, in
 * ms. @param {TimedRound[]} rounds */
export function stalledShare(rounds, step = 0) {
  const usual = usualMs(rounds);
  const whole = sum(rounds.map(roundMs));
  return whole ? sum(rounds.map((round, i) => Math.max(0, roundMs(round) - SLOW * usual[i] - step))) / whole : 0;
}

/** @param {Round[]} rounds */
function slowness(rounds) {
  const usual = sum(usualMs(rounds));
  return usual ? sum(rounds.map(roundMs)) / usual : 1;
}

/** For each round the median ms of all that drafted as many tokens. @param {TimedRound[]} rounds */
export function usualMs(rounds) {
  /** @type {Map<number, number[]>} */
  const bySize = new Map();
  for (const round of rounds) {
    const { length } = round.drafted;
    bySize.set(length, [...(bySize.get(length) ?? []), roundMs(round)]);
  }
  const medians = new Map([...bySize].map(([size, ms]) => [size, median(ms)]));
  return rounds.map(({ drafted }) => medians.get(drafted.length) ?? 0);
}

// A run beside other programs, by the clock that they do not move: the processor time of the thread that decoded. Each
// lane takes that time, shared among its rounds and their phases as the median round of that size has them: what a
// single round took says how long it waited.

const PHASES = /** @type {const} */ (["draft", "verify", "decide", "rest"]);

/** The run by processor time; null where that is not known, or cannot be right either. A device beside the processor
 * has a clock of its own, of which this one knows nothing. @param {Trace} trace @returns {Trace | null} */
export function byProcessorTime(trace) {
  const { header, vanilla, speculative } = trace;
  const ends = LANES.map((lane) => finishedOf(trace[lane]));
  if (!ends.every((end) => end?.processor_ms && end.device_ms === null)) return null;
  const repeats = header.repeats.map((repeat) => ({
    vanilla: { ...repeat.vanilla, decode_ms: repeat.vanilla.processor_ms ?? 0 },
    speculative: { ...repeat.speculative, decode_ms: repeat.speculative.processor_ms ?? 0 },
  }));
  const timed = { header: { ...header, repeats }, vanilla: laneOf(vanilla), speculative: laneOf(speculative) };
  return signs(timed).length ? null : timed;
}

/** @param {Event[]} events @returns {Event[]} */
function laneOf(events) {
  const rounds = decodedRounds(events);
  const processorMs = finishedOf(events)?.processor_ms ?? 0;
  const usual = usualMs(rounds);
  const scale = processorMs / (sum(usual) || 1);
  const ms = new Map(rounds.map((round, i) => [round, scale * usual[i]]));
  /** @type {Map<number, Record<string, number>>} */
  const shares = new Map();
  return events.map((event) => {
    if (event.event === "finished") return { ...event, decode_ms: processorMs };
    const wholeMs = event.event === "round" ? ms.get(event) : undefined;
    if (event.event !== "round" || wholeMs === undefined) return event;
    const { length } = event.drafted;
    const phases = shares.get(length) ?? sharesOf(rounds.filter(({ drafted }) => drafted.length === length));
    shares.set(length, phases);
    const times = { ...event.times };
    for (const phase of PHASES) if (times[phase] !== null) times[phase] = wholeMs * phases[phase];
    return { ...event, times };
  });
}

/** Of each phase its share of a usual round. @param {Round[]} rounds of one size @returns {Record<string, number>} */
function sharesOf(rounds) {
  const usual = PHASES.map((phase) => median(rounds.map(({ times }) => times[phase] ?? 0)));
  const whole = sum(usual) || 1;
  return Object.fromEntries(PHASES.map((phase, i) => [phase, usual[i] / whole]));
}
