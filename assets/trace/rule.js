// What the rule of a run says of a round: which numbers are there, and that the verdicts follow from them
// (specviz/rules, `broken`; specviz/trace/grammar.py).

/** @import { Config, Drafted, Round, RuleInfo } from "./types.js" */
/** @typedef {Generator<[field: string, problem: string], void, void>} Problems */

const SLACK = 1e-6;

/** As math.isclose. @param {number} a @param {number} b @param {number} relative */
const near = (a, b, relative) => Math.abs(a - b) <= Math.max(relative * Math.max(Math.abs(a), Math.abs(b)), SLACK);

/** @type {Record<string, (round: Round, config: Config) => Problems>} a rule that is not here says no more */
const BROKEN = {
  rejection: byRatio,
  siblings: byRatio,
  places: byRatio,
  threshold: (round, config) => byRatio(round, config, config.theta),
  typical,
  block,
};

/** @param {Round} round @param {Config} config @param {RuleInfo} rule @returns {Problems} */
export function* brokenRule(round, config, rule) {
  const greedy = config.temperature === 0;
  if (!greedy) {
    for (const [i, { joint, chance, u }] of round.drafted.entries()) {
      if (!rule.whole_block && (joint !== null || chance !== null))
        yield [`drafted[${i}].joint`, "joint and chance must be null under any rule but block verification"];
      if (!rule.tests_u && u !== null)
        yield [`drafted[${i}].u`, `must be null: ${config.verifier} draws none for a drafted token`];
    }
    yield* BROKEN[config.verifier]?.(round, config) ?? [];
  }
  const argmax = config.drafting === "argmax" && !greedy && !rule.tests_softmax;
  for (const [i, drafted] of round.drafted.entries())
    for (const [field, problem] of ofDrafted(drafted, argmax)) yield [`drafted[${i}].${field}`, problem];
}

/** The verdict of u and p/q/θ; closer than single precision tells apart, either is right. @param {Round} round
 * @param {Config} _ @param {number} theta @returns {Problems} */
function* byRatio({ drafted }, _, theta = 1) {
  for (const [i, { u, p, q, verdict }] of drafted.entries()) {
    if (u === null || p === null || q === null || verdict === "unexamined" || near(theta * u * q, p, 1e-4)) continue;
    const right = u * (theta * q) < p ? "accepted" : "rejected";
    if (verdict !== right)
      yield [`drafted[${i}].verdict`, `must be ${right}: u is ${u.toFixed(6)} and p/q ${p.toFixed(6)}/${q.toFixed(6)}`];
  }
}

/** @param {Round} round @param {Config} config @returns {Problems} */
function* typical({ drafted }, { epsilon, delta }) {
  for (const [i, { position, p, verdict }] of drafted.entries()) {
    if (!position || p === null || verdict === "unexamined") continue;
    const bound = Math.min(epsilon, delta * Math.exp(-position.p_entropy));
    if ((verdict === "accepted") !== p > bound && !near(p, bound, 1e-4))
      yield [`drafted[${i}].verdict`, `must be accepted if p is above ${bound.toFixed(6)}, else rejected`];
  }
}

/** Joint ratios follow from p/q, and the longest beginning with u below its chance was kept. @param {Round} round
 * @returns {Problems} */
function* block({ drafted, emitted }) {
  let [before, longest] = [1, 0];
  for (const [i, { joint, chance, u, ratio }] of drafted.entries()) {
    if (joint === null || chance === null || u === null || ratio === null) {
      yield [`drafted[${i}].joint`, "joint and chance must be there with u and both"];
      continue;
    }
    const expected = Math.min(1, before * ratio);
    if (!near(joint, expected, 1e-5))
      yield [`drafted[${i}].joint`, `must be ${expected.toFixed(6)}: the joint ratio before times p/q, at most 1`];
    if (i === drafted.length - 1 && !near(chance, joint, 1e-5))
      yield [`drafted[${i}].chance`, "must be the joint ratio: of a whole block that is the chance to keep it"];
    before = joint;
    if (u < chance) longest = i + 1;
  }
  const kept = drafted.filter(({ verdict }) => verdict === "accepted").length;
  const cut = emitted.length === kept; // the run ended on an accepted token
  if (kept > longest || (kept < longest && !cut))
    yield ["drafted", `the first ${longest} must be accepted: the longest beginning with u below its chance`];
}

/** What a draft token says of the way it was drafted. @param {Drafted} drafted @param {boolean} argmax
 * @returns {Problems} */
function* ofDrafted({ p, q, position }, argmax) {
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
