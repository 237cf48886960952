// The tokens of a round at their places, each an item of one outline (WAI-ARIA tree), the lines between them, and a
// hand on them: a pointer or the focus marks whom one sees, a click, Enter or Space chooses it, arrows lead through it.

import { el, setText } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { share } from "../shared/scale.js";
import { plain } from "../shared/sentences.js";
import { shape } from "../shared/shape.js";
import { speechText } from "../shared/speech.js";
import { boxText } from "../shared/tokens.js";
import { limitOf } from "../shared/tree.js";
import { roleWord, WORDS } from "../shared/words.js";
import { parents } from "../trace/tree.js";

/** @import { Drafted, Round, Token } from "../shared/types.js" */
/** @import { Before, Layout, Look, Moment, NodeView, RoundConfig, Spot, RoundNodes } from "./types.js" */

/**
 * The last token of the text, the drafted ones, and what comes out.
 * @param {Round} round @param {Layout} layout @param {Before} before @param {RoundConfig} config
 * @returns {{ lines: SVGSVGElement, nodes: NodeView[], extra: NodeView | null }}
 */
export function drawNodes(round, { spots, rows, columns, extra }, before, config) {
  const above = parents(round.drafted);
  const tokens = [before.last, ...round.drafted.map(({ token }) => token)];
  const lines = shape("svg", {
    class: "sv-node-lines",
    viewBox: `0 0 ${columns} ${rows}`,
    preserveAspectRatio: "none",
    "aria-hidden": "true",
  });
  const line = (/** @type {Spot} */ from, /** @type {Spot} */ to) => {
    const [x, y] = [from.x + from.wide, [from.y + 0.5, to.y + 0.5]];
    const middle = (x + to.depth) / 2;
    const path = shape("path", { d: `M${x} ${y[0]}C${middle} ${y[0]} ${middle} ${y[1]} ${to.depth} ${y[1]}` });
    lines.append(path);
    return path;
  };
  const nodes = spots.map((spot, at) => {
    const drafted = at ? round.drafted[at - 1] : null;
    const view = makeNode(tokens[at], at, spot, drafted && gauge(drafted, config));
    if (drafted?.void) view.label.dataset.void = WORDS.void_sign;
    if (at) view.link = line(spots[above[at - 1] + 1], spot);
    return view;
  });
  const after = round.emitted.find(({ role }) => role !== "accepted");
  if (!extra || !after) return { lines, nodes, extra: null };
  const view = makeNode(after.token, -1, extra, null);
  view.link = line(spots[round.drafted.findLastIndex(({ verdict }) => verdict === "accepted") + 1], extra);
  setText(view.numbers, sourceOf(round, after.role, config));
  return { lines, nodes, extra: view };
}

/** Where the last token of a round comes from. @param {Round} round @param {string} role @param {RoundConfig} config */
function sourceOf({ residual }, role, config) {
  if (config.greedy) return WORDS.from_pick;
  if (role === "bonus") return WORDS.from_bonus;
  return WORDS[role === "corrected" && (residual || testsU(config)) ? "from_residual" : "from_p"];
}

/** Whether a run holds a u against a limit, by its rule's own words. @param {RoundConfig} config */
export const testsU = ({ greedy, verifier }) => !greedy && `limit_is_${verifier}` in WORDS;

/** @param {Token | null} token @param {number} at @param {Spot} spot @param {HTMLElement | null} mark */
export function makeNode(token, at, spot, mark) {
  const label = el("bdi.sv-node-text", null, boxText(token?.text ?? ""));
  const numbers = el("span.sv-node-pq");
  const root = el(
    "div.sv-node",
    { role: "treeitem", tabindex: -1, "data-at": at, "aria-level": spot.depth + 1 },
    label,
  );
  root.append(numbers, ...(mark ? [mark] : []));
  root.title = speechText(token?.text ?? "");
  root.style.setProperty("--x", String(spot.x));
  root.style.setProperty("--y", String(spot.y));
  root.style.setProperty("--wide", String(spot.wide));
  const link = /** @type {SVGPathElement | null} */ (null);
  return { root, at, depth: spot.depth, label, numbers, mark, link };
}

/**
 * What u falls on: it keeps the token left of the limit, and rejects it right of it. Every token has one, since who is
 * tested is not known before.
 * @param {Drafted} drafted @param {RoundConfig} config
 */
function gauge(drafted, config) {
  if (drafted.ratio === null || drafted.void || !testsU(config)) return null;
  const limit = el("span.sv-node-keep");
  limit.style.width = share(Math.min(1, limitOf(drafted, config)), 1);
  const u = el("span.sv-node-u");
  u.style.left = share(drafted.u ?? 0, 1);
  return el("span.sv-node-gauge", { "aria-hidden": "true" }, limit, u);
}

/**
 * One token as it is at a moment.
 * @param {NodeView} view @param {Look} look @param {Drafted | null} drafted @param {Moment} moment
 * @param {boolean} hidesVerdicts its verdict is asked for, so no u may tell it
 * @param {boolean} greedy nor a p that is 0 or 1
 */
export function updateNode(view, look, drafted, moment, hidesVerdicts, greedy) {
  const { root, link, mark, at } = view;
  const role = look === "lit" ? "drafted" : look;
  if (root.dataset.look !== look) {
    root.dataset.look = look;
    root.dataset.role = role;
    root.setAttribute("aria-hidden", String(!look));
    link?.setAttribute("data-role", role);
  }
  if (!drafted) return labelNode(view, look, view.numbers.textContent ?? "");
  const fall = moment.falls[at - 1];
  const showsP = moment.checked && !(hidesVerdicts && greedy && (look === "lit" || look === "drafted"));
  const numbers = look ? numbersOf(drafted, showsP) : "";
  setText(view.numbers, numbers);
  if (mark) {
    const hasFallen = fall !== null && moment.checked && (hidesVerdicts ? fall === 1 : fall > 0);
    mark.style.setProperty("--fall", hasFallen ? String(fall) : "0");
    mark.dataset.on = look === "unexamined" ? "" : hasFallen ? "u" : showsP ? "limit" : "";
  }
  labelNode(view, look, numbers);
}

/** @param {Drafted} drafted @param {boolean} checked */
function numbersOf({ p, q }, checked) {
  if (q === null) return "";
  const short = (/** @type {number | null} */ value) => (value === 1 ? "1" : number(value, 2).replace("0.", "."));
  return plain(checked && p !== null ? "node_pq" : "node_q", { p: short(p), q: short(q) });
}

/** How an item is called by those who listen. @param {NodeView} view @param {Look} look @param {string} numbers */
function labelNode(view, look, numbers) {
  const word =
    view.at === 0 ? WORDS.round_text : look === "lit" ? WORDS.verifying : roleWord(look, "void" in view.label.dataset);
  const label = plain("node_label", { x: view.root.title || WORDS.none, word, numbers });
  if (view.root.getAttribute("aria-label") !== label) view.root.setAttribute("aria-label", label);
}

/**
 * @param {HTMLElement} tree @param {() => RoundNodes | null} current
 * @param {(at: number | null) => void} mark @param {(at: number) => void} choose
 */
export function listenToTree(tree, current, mark, choose) {
  tree.addEventListener("pointerover", (event) => mark(positionOf(event)));
  tree.addEventListener("pointerleave", () => mark(null));
  tree.addEventListener("focusin", (event) => {
    const at = positionOf(event);
    mark(at);
    // one stop of the Tab key: where one was last
    for (const view of current()?.views ?? []) view.root.tabIndex = view.at === at ? 0 : -1;
  });
  tree.addEventListener("focusout", () => mark(null));
  tree.addEventListener("click", (event) => {
    const at = positionOf(event);
    if (at !== null) choose(at);
  });
  tree.addEventListener("keydown", (event) => {
    const [at, rendered] = [positionOf(event), current()];
    if (!rendered || at === null || event.shiftKey) return;
    if (event.key === "Enter" || event.key === " ") choose(at);
    else if (/^(Arrow|Home|End)/.test(event.key)) nextVisible(rendered, event.key, at)?.root.focus();
    else return;
    event.preventDefault();
    event.stopPropagation(); // the player has arrows too
  });
}

/** Where a key leads among the tokens that are there.
 * @param {RoundNodes} rendered @param {string} key @param {number} at */
function nextVisible({ views }, key, at) {
  const there = views.filter(({ root }) => root.dataset.look);
  const to = keyTarget(key, at, there);
  return there.find((view) => view.at === to);
}

/** @param {Event} event @returns {number | null} */
function positionOf(event) {
  const node = event.target instanceof Element ? event.target.closest(".sv-node") : null;
  return node instanceof HTMLElement ? Number(node.dataset.at) : null;
}

/**
 * Where a key leads from position `at`, or null.
 * @param {string} key @param {number} at @param {{ at: number, depth: number }[]} items as they are read
 */
function keyTarget(key, at, items) {
  const here = items.findIndex((item) => item.at === at);
  const { depth } = items[here];
  const next = items[here + 1];
  const to = {
    ArrowDown: next,
    ArrowUp: items[here - 1],
    ArrowRight: next?.depth > depth ? next : undefined,
    ArrowLeft: items.slice(0, here).findLast((item) => item.depth < depth),
    Home: items[0],
    End: items[items.length - 1],
  }[key];
  return to ? to.at : null;
}
