// Trace → picture: the plain values that a screen shows, what another engine does not tell among them, and nothing
// about how they look.
//
// Every time is in milliseconds on the lane's own decode clock: 0 is the start of its first round, and only the timed
// part of a round moves it (observation is left out). Text is data from here to the page.

import { decoding, exact, finishedOf, prefillOf, roundsOf, timed } from "../trace/events.js";
import { mostOf } from "../trace/tree.js";
import { account, chooses } from "./account.js";
import { averaged } from "./chances.js";
import { compared, counted } from "./numbers.js";
import { cut, moment, shortened } from "./plain.js";
import { roundView } from "./spans.js";
import { promptTokens } from "./tokens.js";

/** @import { About, Picture } from "../shared/types.js" */
/** @import { Event, Header, ModelInfo, Trace } from "../trace/types.js" */

const NAMES = 40; // characters of an engine's name that a screen shows
const [DEPARTURES, DEPARTURE] = [12, 160]; // of another engine, and characters of each
const UNSEEN = ["eos", "weights", "repeats", "exact"]; // what a run is redone by; of repeats the comparison speaks

/** All that one screen shows of a run; a lane that never began is null.
 * @param {Trace} trace @param {About} about @returns {Picture} */
export function pictureOf(trace, about) {
  const { header } = trace;
  const follows = exact(header.config, about.rules);
  const [vanilla, speculative] = [laneOf("vanilla", trace.vanilla), laneOf("speculative", trace.speculative)];
  const comparison = compared(trace, vanilla, speculative);
  const rounds = [decoding(trace.vanilla), decoding(trace.speculative)];
  const sure = comparison?.speedup ? /** @type {[number, number]} */ ([comparison.low, comparison.high]) : null;
  const found = account(header, rounds[0], rounds[1], about, sure);
  const disturbed = (!found.missing || found.missing === "tree") && comparison?.disturbed.length;
  return /** @type {any} */ ({
    header: { ...headerOf(header, about.families, follows), left_out: leftOut(trace) },
    lanes: { vanilla, speculative },
    comparison,
    account: disturbed ? { missing: "disturbed" } : shortened(found),
    rules: averaged(header.config, roundsOf(trace.speculative), follows),
  });
}

/** @param {Header} header @param {Record<string, string>} families @param {boolean} follows */
function headerOf(header, families, follows) {
  const { config, target, draft } = header;
  const kind = draft && kindOf(draft, target, families);
  const fewer = chooses(config) || kind === "lookup";
  return {
    ...without(header),
    engine: cut(header.engine, NAMES),
    engine_version: cut(header.engine_version, NAMES),
    departures: (header.departures ?? []).slice(0, DEPARTURES).map((each) => cut(each, DEPARTURE)),
    config: { ...config, greedy: config.temperature === 0, exact: header.exact ?? follows },
    target: without(target),
    draft: draft && { ...without(draft), kind, most: mostOf(config), fewer },
  };
}

/** @param {object} value */
const without = (value) => Object.fromEntries(Object.entries(value).filter(([name]) => !UNSEEN.includes(name)));

/** What kind of drafter ran, which chooses the words about it. @param {ModelInfo} draft @param {ModelInfo} target
 * @param {Record<string, string>} families */
function kindOf(draft, target, families) {
  if (Object.hasOwn(families, draft.family)) return families[draft.family];
  if (JSON.stringify(draft) === JSON.stringify(target)) return "target";
  if (draft.forward === "none") return "table";
  return draft.parameters ? "model" : "layers"; // the target's own first ones
}

/** @param {string} name @param {Event[]} events */
function laneOf(name, events) {
  if (!events.length) return null;
  const [prefill, finished, rounds] = [prefillOf(events), finishedOf(events), roundsOf(events)];
  let [clock, before] = [0, 0];
  const shown = rounds.map((round) => {
    const passes = round.draft_forwards;
    const one = roundView(round, clock, passes === null ? null : passes - before);
    clock += timed(round);
    before = passes ?? 0;
    return one;
  });
  return {
    name,
    prompt: prefill ? promptTokens(prefill.prompt) : [],
    rounds: shown,
    duration: moment(clock),
    stopped: finished ? { reason: finished.reason, detail: finished.detail } : null,
    numbers: counted(prefill, rounds, finished, clock),
  };
}

const KEYS = /** @type {const} */ (["p", "q", "u", "chance", "positions", "times", "cache", "passes", "prefill"]);

/** Each once, in the order of the inspector. @param {Trace} trace */
function leftOut({ header, vanilla, speculative }) {
  if (header.engine === "specviz") return [];
  const greedy = header.config.temperature === 0;
  const told = [vanilla, speculative].map((lane) => ofLane(lane, greedy));
  return KEYS.filter((key) => told.some((each) => !each[key]));
}

/** @param {Event[]} events @param {boolean} greedy @returns {Record<typeof KEYS[number], boolean>} */
function ofLane(events, greedy) {
  const rounds = decoding(events);
  const all = roundsOf(events);
  const drafted = all.flatMap((round) => round.drafted);
  const tested = drafted.filter(({ verdict }) => verdict !== "unexamined");
  const last = all.flatMap(({ emitted }) => emitted.slice(-1)).filter(({ role }) => role !== "accepted");
  const [prefill, finished] = [prefillOf(events), finishedOf(events)];
  return {
    p: drafted.every(({ p }) => p !== null),
    q: drafted.every(({ q }) => q !== null),
    u: greedy || tested.every(({ u }) => u !== null),
    chance: greedy || last.every(({ u }) => u !== null),
    positions: tested.every(({ position }) => position),
    times: rounds.every(({ times }) => [times.draft, times.verify, times.decide].every((each) => each !== null)),
    cache: rounds.every(({ target_cache: cache }) => cache),
    passes: !finished || finished.draft_forwards !== null,
    prefill: !prefill || prefill.target_ms !== null,
  };
}
