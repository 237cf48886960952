// What was counted and timed in a lane, and the two lanes side by side. Counts are made anew from the rounds, so that a
// lane stopped half-way has the same numbers as a whole one.

import { decodedRounds, roundsOf, sum } from "../trace/events.js";
import { speedupKind } from "./account.js";
import { ENOUGH_REPEATS, speedupInterval } from "./interval.js";
import { ratio, short } from "./plain.js";
import { byPosition } from "./positions.js";
import { clippedToken } from "./tokens.js";

/** @import { Sign } from "../trace/disturbed.js" */
/** @import { Finished, Header, Prefill, Round, Trace } from "../trace/types.js" */
/** @typedef {{ numbers: ReturnType<typeof laneNumbers>, stopped: { reason: string } | null }} Lane */

const APART = 1.1; // by which processor time and a quiet clock part at most (docs/benchmarks/2026-11-28-zen4-clocks.json)
const UNFINISHED = ["cancelled", "error"];

/** Counted again from the rounds. @param {Prefill | undefined} prefill @param {Round[]} rounds
 * @param {Finished | undefined} finished @param {number} decodeMs */
export function laneNumbers(prefill, rounds, finished, decodeMs) {
  const passes = decodedRounds(rounds);
  const tokens = sum(rounds.map(({ emitted }) => emitted.length));
  const decoded = sum(passes.map(({ emitted }) => emitted.length));
  const drafted = rounds.flatMap(({ drafted }) => drafted);
  const examined = drafted.filter(({ verdict }) => verdict !== "unexamined");
  const accepted = drafted.filter(({ verdict }) => verdict === "accepted").length;
  const first = examined.filter(({ rank }) => !rank); // a sibling is tested against what is left of p
  const betas = first.flatMap(({ position }) => (position && position.beta !== null ? [position.beta] : []));
  const last = rounds.length ? rounds[rounds.length - 1] : null;
  const target = last ? last.target_forwards : 0;
  const prefillMs = prefill ? total([prefill.target_ms, prefill.draft_ms]) : 0;
  const full = finished && ["length", "context"].includes(finished.reason);
  const parts = /** @type {const} */ (["draft", "verify", "decide", "rest"]);
  return {
    tokens,
    rounds: rounds.length,
    decode_ms: short(decodeMs),
    prefill_ms: short(prefillMs),
    observe_ms: short(sum(rounds.map(({ times }) => times.observe))),
    capture_ms: short(finished ? finished.capture_ms : 0),
    eager: finished ? finished.eager : "",
    tokens_per_second: ratio(1000 * decoded, decodeMs),
    tokens_per_second_end_to_end: tokens && prefillMs !== null ? ratio(1000 * tokens, decodeMs + prefillMs) : null,
    target_forwards: target,
    draft_forwards: last ? last.draft_forwards : 0,
    tokens_per_forward: ratio(decoded, target),
    tokens_per_round: ratio(decoded, passes.length),
    drafted: drafted.length,
    drafted_per_round: ratio(drafted.length, passes.length),
    undrafted: (full ? passes.slice(0, -1) : passes).filter(({ drafted }) => !drafted.length).length,
    draft_full: rounds.filter(({ fewer }) => fewer === "context").length,
    tested: examined.length,
    accepted,
    accepted_of_drafted: ratio(accepted, drafted.length),
    accepted_of_tested: ratio(accepted, examined.length),
    alpha: ratio(sum(betas), betas.length),
    alpha_positions: betas.length,
    by_position: byPosition(rounds),
    split: Object.fromEntries(parts.map((part) => [part, short(total(passes.map(({ times }) => times[part])))])),
  };
}

/** Of what was told; null where nothing was, and nothing is 0 where nothing was done.
 * @param {(number | null)[]} parts */
function total(parts) {
  const known = parts.filter((part) => part !== null);
  return known.length || !parts.length ? sum(known) : null;
}

/** The two lanes side by side; null unless both began. @param {Trace} trace as it is timed @param {Lane | null} vanilla
 * @param {Lane | null} speculative @param {Sign[]} disturbed what speaks against the machine's clock
 * @param {"wall" | "processor" | null} clock by which it is timed; null: its times are withheld */
export function comparisonOf(trace, vanilla, speculative, disturbed, clock) {
  if (!vanilla || !speculative) return null;
  const [a, b] = [vanilla.numbers, speculative.numbers];
  const tokens = [trace.vanilla, trace.speculative].map((lane) =>
    roundsOf(lane).flatMap(({ emitted }) => emitted.map(({ token }) => token)),
  );
  const ids = tokens.map((lane) => lane.map(({ id }) => id));
  const least = Math.min(ids[0].length, ids[1].length);
  const first = ids[0].findIndex((id, i) => i < least && id !== ids[1][i]);
  const common = first < 0 ? least : first;
  const parts = common < least;
  const speedup = ratio(b.tokens_per_second, a.tokens_per_second);
  const wide = { low: (speedup ?? 0) / APART, high: (speedup ?? 0) * APART, runs: 1 };
  const alone = clock === "processor" && trace.header.repeats.length < 2; // what its rounds took is not known
  const range = speedup ? (alone ? wide : speedupInterval(trace, speedup)) : null;
  return {
    speedup,
    low: short(range?.low),
    high: short(range?.high),
    runs: range ? range.runs : 0,
    often: Boolean(range && range.runs >= ENOUGH_REPEATS),
    kind: range && (!clock ? "disturbed" : trace.header.config.K ? speedupKind(range.low, range.high) : "alike"),
    clock,
    disturbed: disturbed.map((sign) => ({ ...sign, value: short(sign.value) })),
    speedup_end_to_end: ratio(b.tokens_per_second_end_to_end, a.tokens_per_second_end_to_end),
    whole: [vanilla, speculative].every(({ stopped }) => stopped && !UNFINISHED.includes(stopped.reason)),
    same: String(ids[0]) === String(ids[1]),
    common,
    parts,
    parted: parts ? tokens.map((lane) => clippedToken(lane[common])) : null,
    greedy: trace.header.config.temperature === 0,
    logits: logits(trace.header),
  };
}

/** Where greedy lanes part: the logits of both tokens, by a pass over one token and by the block's.
 * @param {Header} header */
function logits({ divergence }) {
  if (!divergence) return null;
  const ways = /** @type {const} */ (["alone", "block"]);
  const lanes = /** @type {const} */ (["vanilla", "speculative"]);
  const entries = ways.flatMap((way) => lanes.map((lane) => [`${way}_${lane}`, short(divergence[way][lane])]));
  return Object.fromEntries(entries);
}
