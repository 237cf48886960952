// A drafted block that branches, as its tokens tell it (specviz/trace/tree.py).

/** @import { Config, Drafted, Round } from "./types.js" */

/** Whether a tree was drafted. @param {Round} round */
export const branches = ({ drafted }) => drafted.some(({ parent }) => (parent ?? null) !== null);

/** Of each token the one that it follows, −1 for the text. @param {Drafted[]} drafted */
export const parents = (drafted) => drafted.map(({ parent }, i) => parent ?? i - 1);

/** Of the text, then of each token, those that follow it. @param {Drafted[]} drafted */
export function children(drafted) {
  /** @type {number[][]} */
  const found = [[], ...drafted.map(() => [])];
  for (const [i, parent] of parents(drafted).entries()) found[parent + 1].push(i);
  return found;
}

/** The accepted tokens, each of which follows the one before. @param {Drafted[]} drafted */
export const path = (drafted) => drafted.flatMap(({ verdict }, i) => (verdict === "accepted" ? [i] : []));

/** The tokens that stand in the running text: of a tree the path that stays, and what was turned down where it ends.
 * @param {Round} round */
export function inLine(round) {
  const { drafted } = round;
  if (!branches(round)) return drafted.map((_, i) => i);
  const kept = path(drafted);
  return [...kept, ...children(drafted)[kept.length ? kept[kept.length - 1] + 1 : 0]];
}

/** A token for each depth that the tree reaches: that of the path; where it ends the last that was turned down; then
 * any. @param {Drafted[]} drafted */
export function walked(drafted) {
  /** @type {Map<number, Drafted>} */
  const byDepth = new Map();
  for (const [i, depth] of depths(drafted).entries()) {
    const held = byDepth.get(depth);
    const { verdict } = drafted[i];
    if (!held || verdict === "accepted" || (verdict === "rejected" && held.verdict === "unexamined"))
      byDepth.set(depth, drafted[i]);
  }
  return [...byDepth].sort(([a], [b]) => a - b).map(([, one]) => one);
}

/** The tokens that were examined, in the order of the walk: siblings by rank, then the children of the one that
 * stayed. @param {Drafted[]} drafted */
export function tested(drafted) {
  const below = children(drafted);
  /** @type {number[]} */
  const found = [];
  for (let at = -1; at < 0 || drafted[at].verdict === "accepted"; at = found[found.length - 1]) {
    const here = below[at + 1].filter((i) => drafted[i].verdict !== "unexamined");
    if (!here.length) break;
    found.push(...here);
  }
  return found;
}

/** How far each token reaches past the text, from 1. @param {Drafted[]} drafted */
export function depths(drafted) {
  /** @type {number[]} */
  const found = [];
  for (const parent of parents(drafted)) found.push(1 + (parent >= 0 ? found[parent] : 0));
  return found;
}

/** Tokens drafted in a round at most (specviz/config.py, `most`). @param {Config} config */
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

/** @typedef {[field: string, problem: string]} Problem */

/** The first thing that makes the tree of a round none, or its verdicts no walk through it. @param {Round} round
 * @param {number} most its depth @param {boolean} last of the run, which may end on an accepted token
 * @returns {Generator<Problem, void, void>} */
export function* brokenTree(round, most, last) {
  const [problem] = shapeOf(round, most);
  if (problem) yield problem;
  else yield* decided(round, last);
}

/** @param {Round} round @param {number} most @returns {Generator<Problem, void, void>} */
function* shapeOf({ drafted }, most) {
  /** @type {Map<number, Drafted[]>} by parent */
  const seen = new Map();
  for (const [i, one] of drafted.entries()) {
    const [where, at] = [`drafted[${i}]`, one.parent ?? null];
    if (at === null || (one.depth ?? null) === null || (one.rank ?? null) === null)
      return yield [`${where}.parent`, "parent, depth and rank must be there: the run drafts trees"];
    if (at < -1 || at >= i)
      return yield [`${where}.parent`, `must be from -1, the text, to ${i - 1}: a token follows an earlier one`];
    const due = 1 + (at >= 0 ? (drafted[at].depth ?? 0) : 0);
    if (one.depth !== due || due > most)
      yield [`${where}.depth`, `must be ${due}, one more than its parent's, and at most ${most}`];
    const siblings = seen.get(at) ?? [];
    seen.set(at, [...siblings, one]);
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
function* decided({ drafted, emitted }, last) {
  const below = children(drafted);
  /** @type {number[]} */
  const kept = [];
  const examined = new Set();
  let rejected = false;
  for (let here = below[0]; here.length; here = below[kept[kept.length - 1] + 1]) {
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
    kept.push(here[tested.length - 1]);
  }
  const beyond = drafted.findIndex(({ verdict }, i) => !examined.has(i) && verdict !== "unexamined");
  if (beyond >= 0)
    return yield [`drafted[${beyond}].verdict`, "must be unexamined: the token before it was not accepted"];
  const roles = String(emitted.map(({ role }) => role));
  const stays = kept.map(() => "accepted");
  const inside = last && kept.length > 0 && !rejected && roles === String(stays);
  const leaf = !below[(kept[kept.length - 1] ?? -1) + 1].length;
  const whole = [...stays, !drafted.length ? "plain" : rejected ? "corrected" : "bonus"];
  if (!inside && (roles !== String(whole) || !(leaf || rejected)))
    yield ["emitted", `roles must be ${whole.join(", ")}; only the last round may end on an accepted token`];
  yield* same(drafted, kept, emitted);
}

/** Where what was emitted is not what was drafted and accepted. @param {Drafted[]} drafted @param {number[]} kept
 * @param {Round["emitted"]} emitted @returns {Generator<Problem, void, void>} */
export function* same(drafted, kept, emitted) {
  const parts = /** @type {const} */ (["id", "text", "partial"]);
  for (const [i, at] of kept.slice(0, emitted.length).entries())
    if (parts.some((part) => drafted[at].token[part] !== emitted[i].token[part]))
      yield [`emitted[${i}].token`, "must be the token that was drafted and accepted"];
}
