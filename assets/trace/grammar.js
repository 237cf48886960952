// What holds in every run: the grammar of a lane and the sums between its events (specviz/trace/grammar.py); and that the
// tokens of a round are a tree, its verdicts a walk through it, what was emitted its path (specviz/trace/tree.py).

import { RULES } from "../rules/all.js";
import { near, SLACK } from "../rules/base.js";
import { branches, children, mostOf, roundMs, roundsOf, sum } from "./events.js";

/** @import { Problems, Rule } from "../rules/types.js" */
/** @import { Config, Drafted, Event, Finished, Header, LaneName, Round } from "./types.js" */

/** The first thing that makes the tree of a round none, or its verdicts no walk through it. @param {Round} round
 * @param {number} maxDepth @param {boolean} last of the run, which may end on an accepted token
 * @returns {Generator<Problem, void, void>} */
function* treeViolations(round, maxDepth, last) {
  const [problem] = shapeViolations(round, maxDepth);
  if (problem) yield problem;
  else yield* walkViolations(round, last);
}

/** @param {Round} round @param {number} maxDepth @returns {Generator<Problem, void, void>} */
function* shapeViolations({ drafted }, maxDepth) {
  /** @type {Map<number, Drafted[]>} by parent */
  const childrenOf = new Map();
  for (const [i, one] of drafted.entries()) {
    const [where, at] = [`drafted[${i}]`, one.parent ?? null];
    if (at === null || (one.depth ?? null) === null || (one.rank ?? null) === null)
      return yield [`${where}.parent`, "parent, depth and rank must be there: the run drafts trees"];
    if (at < -1 || at >= i)
      return yield [`${where}.parent`, `must be from -1, the text, to ${i - 1}: a token follows an earlier one`];
    const due = 1 + (at >= 0 ? (drafted[at].depth ?? 0) : 0);
    if (one.depth !== due || due > maxDepth)
      yield [`${where}.depth`, `must be ${due}, one more than its parent's, and at most ${maxDepth}`];
    const siblings = childrenOf.get(at) ?? [];
    childrenOf.set(at, [...siblings, one]);
    if (one.rank !== siblings.length)
      yield [
        `${where}.rank`,
        `must be ${siblings.length}: siblings have places of their own, in the order in which they are tested`,
      ];
    if (siblings.some(({ token }) => token.id === one.token.id))
      yield [`${where}.token`, "must be another token than those of its siblings"];
  }
}

/** Where the verdicts are no walk from the text along accepted tokens, or what was emitted is not that path.
 * @param {Round} round @param {boolean} last @returns {Generator<Problem, void, void>} */
function* walkViolations({ drafted, emitted }, last) {
  const below = children(drafted);
  /** @type {number[]} */
  const path = [];
  const examined = new Set();
  let rejected = false;
  for (let here = below[0]; here.length; here = below[path[path.length - 1] + 1]) {
    const verdicts = here.map((i) => drafted[i].verdict);
    const tested = verdicts.filter((verdict) => verdict !== "unexamined");
    for (const i of here) examined.add(i);
    const accepted = tested[tested.length - 1] === "accepted";
    const first = String(tested) === String(verdicts.slice(0, tested.length));
    if (
      !first ||
      tested.indexOf("accepted") !== (accepted ? tested.length - 1 : -1) ||
      (tested.length && !accepted && tested.length < here.length)
    )
      return yield [
        `drafted[${here[0]}].verdict`,
        "siblings must be rejected up to one that is accepted, and unexamined after it, or all be rejected",
      ];
    rejected = tested.length > 0 && !accepted;
    if (!accepted) break;
    path.push(here[tested.length - 1]);
  }
  const beyond = drafted.findIndex(({ verdict }, i) => !examined.has(i) && verdict !== "unexamined");
  if (beyond >= 0) return yield [`drafted[${beyond}].verdict`, "must be unexamined: the token before it was not accepted"];
  const roles = String(emitted.map(({ role }) => role));
  const acceptedRoles = path.map(() => "accepted");
  const inside = last && path.length > 0 && !rejected && roles === String(acceptedRoles);
  const leaf = !below[(path[path.length - 1] ?? -1) + 1].length;
  const whole = [...acceptedRoles, !drafted.length ? "plain" : rejected ? "corrected" : "bonus"];
  if (!inside && (roles !== String(whole) || !(leaf || rejected)))
    yield ["emitted", `roles must be ${whole.join(", ")}; only the last round may end on an accepted token`];
  const parts = /** @type {const} */ (["id", "text", "partial"]);
  for (const [i, at] of path.slice(0, emitted.length).entries())
    if (parts.some((part) => drafted[at].token[part] !== emitted[i].token[part]))
      yield [`emitted[${i}].token`, "must be the token that was drafted and accepted"];
}

/** @typedef {[field: string, problem: string]} Problem */

/** What another engine may leave out. @type {Record<string, (event: any) => [string, unknown][]>} */
const LEFT_OUT = {
  prefill: (event) => pairs(event, ["target_positions", "target_ms", "draft_ms"]),
  round: (event) => [
    ...pairs(event, ["target_cache", "draft_forwards"]),
    ...pairs(event.times, ["draft", "verify", "decide"], "times."),
    ...event.drafted.flatMap((/** @type {any} */ drafted, /** @type {number} */ i) =>
      pairs(drafted, ["q", "p", "ratio"], `drafted[${i}].`),
    ),
  ],
  finished: (event) => pairs(event, ["draft_forwards", "prefill_ms"]),
};

/** @param {any} value @param {string[]} names @param {string} [path] @returns {[string, unknown][]} */
const pairs = (value, names, path = "") => names.map((name) => [path + name, value[name]]);

/** The first thing that a lane breaks; null if it breaks none. @param {LaneName} lane @param {Event[]} events
 * @param {Header} header @returns {{ at: number, field: string, problem: string } | null} */
export function firstViolation(lane, events, header) {
  for (const [at, [field, problem]] of violations(lane, events, header)) return { at, field, problem };
  return null;
}

/** @param {LaneName} lane @param {Event[]} events @param {Header} header
 * @returns {Generator<[number, Problem], void, void>} */
function* violations(lane, events, { config, engine }) {
  if (!events.length) return;
  const ours = engine === "specviz";
  for (const [i, event] of events.entries()) {
    if ((event.event === "prefill") !== (i === 0)) yield [i, ["event", "a lane begins with its one prefill"]];
    if ((event.event === "finished") !== (i === events.length - 1)) yield [i, ["event", "a lane ends with its one finished"]];
    if (event.event === "round" && event.index !== i - 1) yield [i, ["index", `must be ${i - 1}: rounds count from 0`]];
    for (const [name, value] of ours ? LEFT_OUT[event.event](event) : [])
      if (value === null) yield [i, [name, "must not be null: specviz tells it"]];
  }
  const [prefill] = events;
  if (prefill.event === "prefill" && !prefill.prompt.length) yield [0, ["prompt", "must hold at least one token"]];
  const rounds = roundsOf(events);
  const finished = /** @type {Finished} */ (events[events.length - 1]);
  let passes = [0, 0];
  for (const [i, after] of [...rounds, finished].entries()) {
    const now = [after.target_forwards, after.draft_forwards ?? passes[1]];
    if (now[0] < passes[0] || now[1] < passes[1])
      yield [i + 1, ["target_forwards", "forward passes must count up, of target and draft"]];
    passes = now;
  }
  for (const [i, round] of rounds.entries()) {
    const own = lane === "vanilla" ? { ...config, K: 0 } : config;
    for (const problem of roundViolations(round, own, i === rounds.length - 1)) yield [i + 1, problem];
    const early = /** @type {string | null} */ (round.fewer) === "prefill";
    if (early && (ours || i > 0 || round.drafted.length || roundMs(round) || round.target_forwards))
      yield [
        i + 1,
        ["fewer", "prefill is for the first round of another engine, with nothing drafted, no pass and no time of its own"],
      ];
    for (const problem of ruleViolations(round, config, RULES[config.verifier])) yield [i + 1, problem];
    for (const problem of maskViolations(round, config)) yield [i + 1, problem];
  }
  for (const problem of totalViolations(finished, rounds, config.max_new_tokens)) yield [events.length - 1, problem];
}

/** @param {Round} round @param {Config} config @param {boolean} last @returns {Generator<Problem, void, void>} */
function* roundViolations(round, config, last) {
  const { drafted, emitted, asked, fewer, choice, residual, target_cache, draft_cache } = round;
  const K = mostOf(config);
  if (drafted.length > K) yield ["drafted", `must hold at most ${K} tokens`];
  if (choice && (asked === null || !(asked <= choice.K && choice.K <= K)))
    yield ["choice.K", `must be from ${asked}, what was asked for, to ${K}`];
  if (asked !== null) {
    if (!(drafted.length <= asked && asked <= K)) yield ["asked", `must be from ${drafted.length}, what was drafted, to ${K}`];
    if ((fewer === null) !== (drafted.length === K))
      yield ["fewer", `must say why fewer than ${K} were drafted, and must be null where they were ${K}`];
  }
  yield* pathViolations(round, config, last);
  const replaced = emitted.some(({ role }) => role === "corrected");
  if (residual && !(replaced && drafted.some(({ verdict }) => verdict === "rejected")))
    yield ["residual", "must be null: nothing was rejected"];
  for (const [name, cache] of /** @type {const} */ ([
    ["target_cache", target_cache],
    ["draft_cache", draft_cache],
  ]))
    if (cache && cache.peak < Math.max(cache.before, cache.after))
      yield [`${name}.peak`, "must be at least what the cache holds before and after"];
}

/** What a round says of the run's grammar. @param {Round} round @param {Config} config
 * @returns {Generator<Problem, void, void>} */
function* maskViolations({ drafted, emitted }, { grammar }) {
  for (const [i, { p, verdict, void: forbidden }] of drafted.entries())
    if (forbidden && (!grammar || verdict === "accepted" || p))
      yield [`drafted[${i}].void`, "must be false but under a grammar, of a token that is not accepted and whose p is 0"];
  for (const [i, { forced }] of emitted.entries())
    if (forced && !grammar) yield [`emitted[${i}].forced`, "must be false but under a grammar"];
}

/** Of a chain, too: it is the tree in which each token has one child.
 * @param {Round} round @param {Config} config @param {boolean} last @returns {Generator<Problem, void, void>} */
function* pathViolations(round, { K, tree }, last) {
  if (K && (tree ?? "off") !== "off") yield* treeViolations(round, K, last);
  else if (branches(round)) yield ["drafted[0].parent", "must be null: the run drafts chains"];
  else yield* walkViolations(round, last);
}

/** @param {Finished} finished @param {Round[]} rounds @param {number} most @returns {Generator<Problem, void, void>} */
function* totalViolations(finished, rounds, most) {
  const verdicts = rounds.flatMap(({ drafted }) => drafted.map(({ verdict }) => verdict));
  const emitted = rounds.flatMap(({ emitted }) => emitted);
  const sums = {
    text: emitted.map(({ piece }) => piece).join(""),
    tokens: emitted.length,
    rounds: rounds.length,
    drafted: verdicts.length,
    tested: verdicts.filter((verdict) => verdict !== "unexamined").length,
    accepted: verdicts.filter((verdict) => verdict === "accepted").length,
  };
  for (const [name, value] of Object.entries(sums)) {
    if (/** @type {any} */ (finished)[name] === value) continue;
    yield [name, name === "text" ? "must be the pieces of the rounds, joined" : `must be ${value}, the sum over the rounds`];
  }
  const times = { decode_ms: sum(rounds.map(roundMs)), observe_ms: sum(rounds.map(({ times }) => times.observe)) };
  for (const [name, total] of /** @type {["decode_ms" | "observe_ms", number][]} */ (Object.entries(times)))
    if (Math.abs(finished[name] - total) > Math.max(1e-3, 1e-6 * Math.max(total, finished[name])))
      yield [name, `must be ${total.toFixed(3)}, the sum over the rounds`];
  if (finished.tokens > most) yield ["tokens", `must be at most ${most}, the run's max_new_tokens`];
}

/** What the rule of a run says of a round: which numbers are there, and that the verdicts follow from them
 * (specviz/rules, `broken`). @param {Round} round @param {Config} config @param {Rule} rule @returns {Problems} */
function* ruleViolations(round, config, rule) {
  const greedy = config.temperature === 0;
  if (!greedy) {
    for (const [i, { joint, chance, u }] of round.drafted.entries()) {
      if (!rule.whole_block && (joint !== null || chance !== null))
        yield [`drafted[${i}].joint`, "joint and chance must be null under any rule but block verification"];
      if (!rule.tests_u && u !== null)
        yield [`drafted[${i}].u`, `must be null: ${config.verifier} draws none for a drafted token`];
    }
    yield* rule.contradictions?.(round, config) ?? [];
  }
  const argmax = config.drafting === "argmax" && !greedy && !rule.tests_softmax;
  for (const [i, drafted] of round.drafted.entries())
    for (const [field, problem] of draftViolations(drafted, argmax)) yield [`drafted[${i}].${field}`, problem];
}

/** What a draft token says of the way it was drafted. @param {Drafted} drafted @param {boolean} argmax
 * @returns {Problems} */
function* draftViolations({ p, q, position }, argmax) {
  if (argmax && q !== null && Math.abs(q - 1) > SLACK)
    yield ["q", "must be 1: what was drafted is the draft's largest, so all of q is on it"];
  if (!position) return;
  const { own, product, best, beta, entries } = position;
  if ((own !== null) !== argmax && (own || product !== null))
    yield ["position.own", "must be there if, and only if, the draft's largest was drafted at a temperature above 0"];
  if (own && (own.entries.length !== entries.length || !own.entries.every((s) => s >= -SLACK && s <= 1 + SLACK)))
    yield ["position.own.entries", `must be ${entries.length} numbers from 0 to 1, one of each entry`];
  if ((best === null) !== (product === null)) yield ["position.best", "must be there if, and only if, product is"];
  const overlap = own ? own.beta : beta;
  if (product !== null && overlap !== null && product > overlap + SLACK)
    yield ["position.product", "must be at most Σ min(p, q): no product of chances is above the smaller of them"];
  if (best !== null && argmax && p !== null && !near(best, p, SLACK))
    yield ["position.best", "must be p of the drafted token, which is the draft's largest"];
}
