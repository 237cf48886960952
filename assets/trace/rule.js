// What the rule of a run says of a round: which numbers are there, and that the verdicts follow from them
// (specviz/rules, `broken`; specviz/trace/grammar.py).

import { near, SLACK } from "../rules/base.js";

/** @import { Problems, Rule } from "../rules/types.js" */
/** @import { Config, Drafted, Round } from "./types.js" */

/** @param {Round} round @param {Config} config @param {Rule} rule @returns {Problems} */
export function* brokenRule(round, config, rule) {
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
    for (const [field, problem] of ofDrafted(drafted, argmax)) yield [`drafted[${i}].${field}`, problem];
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
