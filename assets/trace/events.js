// What is asked of a lane's events again and again (specviz/trace/events.py); a drafted block, as its tokens tell it
// (specviz/trace/tree.py): a chain is the tree in which each token has a child; and what marks a trace file.

/** @import { Drafted, Event, LaneName, PhaseTimes, Prefill, Round } from "./types.js" */

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
