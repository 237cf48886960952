// What keeps the tokens of a round from being a tree, its verdicts from being a walk through it, or what was emitted
// from being its path (specviz/trace/tree.py).

import { children } from "./tree.js";

/** @import { Drafted, Round } from "./types.js" */
/** @typedef {[field: string, problem: string]} Problem */

/** The first thing that makes the tree of a round none, or its verdicts no walk through it. @param {Round} round
 * @param {number} maxDepth @param {boolean} last of the run, which may end on an accepted token
 * @returns {Generator<Problem, void, void>} */
export function* treeViolations(round, maxDepth, last) {
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
export function* walkViolations({ drafted, emitted }, last) {
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
  if (beyond >= 0)
    return yield [`drafted[${beyond}].verdict`, "must be unexamined: the token before it was not accepted"];
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
