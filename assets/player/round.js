// The one picture of a round, drawn from the trace alone: the guesses grow from left to right, one pass lights them,
// u falls on each in turn, the kept path stands, and both caches follow (caches.js).

import { branches, children, endOfPath, parents } from "../trace/events.js";
import { makeCaches, makeMask, visiblePositions } from "./caches.js";
import { limitOf, madeAtOnce, momentAt } from "./clock.js";
import { boxText, el, setText, shape, share, speechText } from "./dom.js";
import { hierarchy, tree } from "./vendor/d3-hierarchy.js";
import { number, plain, roleWord, WORDS } from "./words.js";

/** @import { Before, Drafted, Layout, Moment, NodeLook, NodeView, Round, RoundConfig } from "../shared/types.js" */
/** @import { RoundNodes, Spot, Token } from "../shared/types.js" */

// Where the tokens of a round stand: columns by depth, rows by a tidy tree, and a free place for the token after them.
// A round that only drafts has no such token.

const BOX_WIDTH = 0.87; // of a column: the rest is for lines
const HALF_WIDTH = 0.4; // of a column, where two stand abreast
const MOST_ROWS = 32; // readable from the back of a room: of more, tokens without children stand two abreast

/** `spots[0]` is the last token of the text, `spots[i + 1]` drafted token i. `order`: the same as an outline is read.
 * One more row and column than the tokens take: what comes out at the end finds room, and tells nothing before.
 * @param {Pick<Round, "drafted" | "emitted">} round @returns {Layout} */
export function layoutOf(round) {
  const below = children(round.drafted);
  const lastRow = (/** @type {Spot[]} */ spots) => Math.max(...spots.map(({ y }) => y));
  let { spots, order } = rowsOf(below, false);
  if (lastRow(spots) > MOST_ROWS) ({ spots, order } = rowsOf(below, true));
  const extra = extraSpot(round, spots, below);
  const room = round.emitted.length ? 2 : 1;
  const columns = Math.max(...spots.map(({ depth }) => depth)) + room;
  return { spots, order, rows: lastRow(spots) + room, columns, extra };
}

/** The rows of a chain or of a tidy tree, from 0, and its tokens as an outline is read. @param {number[][]} below
 * @param {boolean} abreast */
function rowsOf(below, abreast) {
  if (below.every((nodes) => nodes.length < 2)) {
    const order = below.map((_, at) => at);
    return { spots: order.map((depth) => ({ x: depth, y: 0, depth, wide: BOX_WIDTH })), order }; // a chain is one row
  }
  const leaf = (/** @type {number} */ i) => !below[i + 1].length;
  /** What shares a row: one token, or two next to each other that have no children. @param {number[]} children */
  const shared = (children) => {
    /** @type {number[][]} */
    const rows = [];
    for (const i of children) {
      const before = rows.at(-1);
      if (abreast && leaf(i) && before?.length === 1 && leaf(before[0])) before.push(i);
      else rows.push([i]);
    }
    return rows;
  };
  const root = hierarchy([-1], ([i]) => shared(below[i + 1]));
  tree()
    .nodeSize([1, 1])
    .separation(() => 1)(root);
  /** @type {Spot[]} */
  const spots = [];
  /** @type {number[]} */
  const order = [];
  root.eachBefore(({ data, depth, x: y }) => {
    const wide = data.length > 1 ? HALF_WIDTH : BOX_WIDTH;
    for (const [k, i] of data.entries()) {
      spots[i + 1] = { x: depth + k * (BOX_WIDTH - HALF_WIDTH), y, depth, wide };
      order.push(i + 1);
    }
  });
  const top = Math.min(...spots.map(({ y }) => y));
  for (const spot of spots) spot.y -= top;
  return { spots, order };
}

/** A correction stands under the tokens that it replaces, a bonus behind the path that it follows.
 * @param {Pick<Round, "drafted" | "emitted">} round @param {Spot[]} spots @param {number[][]} below
 * @returns {Spot | null} */
function extraSpot(round, spots, below) {
  if (!round.emitted.some(({ role }) => role !== "accepted")) return null;
  const end = endOfPath(round.drafted) + 1;
  const x = spots[end].depth + 1;
  const last = below[end].at(-1);
  const wantedY = last === undefined ? spots[end].y : spots[last + 1].y + 1;
  const occupied = spots.filter(({ depth }) => depth === x).map(({ y }) => y);
  const wanted = [wantedY, ...occupied.flatMap((y) => [y - 1, y + 1])];
  const near = wanted.filter((y) => y >= 0 && occupied.every((other) => Math.abs(other - y) >= 1));
  const y = near.reduce((best, one) => (Math.abs(one - wantedY) < Math.abs(best - wantedY) ? one : best));
  return { x, y, depth: x, wide: BOX_WIDTH };
}

// The tokens of a round at their places, each an item of one outline (WAI-ARIA tree), the lines between them, and a
// hand on them: a pointer or the focus marks whom one sees, a click, Enter or Space chooses it, arrows lead through it.

/** The last token of the text, the drafted ones, and what comes out. @param {Round} round @param {Layout} layout
 * @param {Before} before @param {RoundConfig} config
 * @returns {{ lines: SVGSVGElement, nodes: NodeView[], extra: NodeView | null }} */
function drawNodes(round, { spots, rows, columns, extra }, before, config) {
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
  const source = after.role === "corrected" && (round.residual || testsU(config)) ? "from_residual" : "from_p";
  setText(view.numbers, WORDS[config.greedy ? "from_pick" : after.role === "bonus" ? "from_bonus" : source]);
  return { lines, nodes, extra: view };
}

/** Whether a run holds a u against a limit, by its rule's own words. @param {RoundConfig} config */
const testsU = ({ greedy, verifier }) => !greedy && `limit_is_${verifier}` in WORDS;

/** @param {Token | null} token @param {number} at @param {Spot} spot @param {HTMLElement | null} mark */
export function makeNode(token, at, spot, mark) {
  const label = el("bdi.sv-node-text", null, boxText(token?.text ?? ""));
  const numbers = el("span.sv-node-pq");
  const root = el("div.sv-node", { role: "treeitem", tabindex: -1, "data-at": at, "aria-level": spot.depth + 1 }, label);
  root.append(numbers, ...(mark ? [mark] : []));
  root.title = speechText(token?.text ?? "");
  root.style.setProperty("--x", String(spot.x));
  root.style.setProperty("--y", String(spot.y));
  root.style.setProperty("--wide", String(spot.wide));
  const link = /** @type {SVGPathElement | null} */ (null);
  return { root, at, depth: spot.depth, label, numbers, mark, link };
}

/** What u falls on: it keeps the token left of the limit, and rejects it right of it. Every token has one, since who is
 * tested is not known before. @param {Drafted} drafted @param {RoundConfig} config */
function gauge(drafted, config) {
  if (drafted.ratio === null || drafted.void || !testsU(config)) return null;
  const limit = el("span.sv-node-keep");
  limit.style.width = share(Math.min(1, limitOf(drafted, config)), 1);
  const u = el("span.sv-node-u");
  u.style.left = share(drafted.u ?? 0, 1);
  return el("span.sv-node-gauge", { "aria-hidden": "true" }, limit, u);
}

/** One token as it is at a moment. @param {NodeView} view @param {NodeLook} look @param {Drafted | null} drafted
 * @param {Moment} moment @param {boolean} hidesVerdicts its verdict is asked for, so no u may tell it
 * @param {boolean} greedy nor a p that is 0 or 1 */
function updateNode(view, look, drafted, moment, hidesVerdicts, greedy) {
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

/** How an item is called by those who listen. @param {NodeView} view @param {NodeLook} look @param {string} numbers */
function labelNode(view, look, numbers) {
  const word = view.at === 0 ? WORDS.round_text : look === "lit" ? WORDS.verifying : roleWord(look, "void" in view.label.dataset);
  const label = plain("node_label", { x: view.root.title || WORDS.none, word, numbers });
  if (view.root.getAttribute("aria-label") !== label) view.root.setAttribute("aria-label", label);
}

/** @param {HTMLElement} tree @param {() => RoundNodes | null} current @param {(at: number | null) => void} mark
 * @param {(at: number) => void} choose */
function listenToTree(tree, current, mark, choose) {
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

/** Where a key leads from position `at`, or null. @param {string} key @param {number} at
 * @param {{ at: number, depth: number }[]} items as they are read */
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

// u on [0, 1) with the threshold min(1, p/q): left of it a token stays, right of it it goes.

const WORD = 0.24; // of the scale where it is narrowest: the room that a word needs
const NEAR = 0.03;

/** @param {string} keep @param {string} reject what stands left and right of the threshold */
export function makeScale(keep, reject) {
  const [low, high] = [el("span.sv-u-keep", null, keep), el("span.sv-u-reject", null, reject)];
  const label = el("span");
  const mark = el("span.sv-u-mark", null, label);
  const limit = el("span.sv-u-limit");
  const ends = el("div.sv-u-ends", null, el("span", null, "0"), limit, el("span", null, "1"));
  const track = el("div.sv-u-track", null, low, high);
  let edge = 0;
  const scale = {
    root: el("div.sv-u", { role: "img" }, el("div.sv-u-marks", null, mark), track, ends),
    /** @param {number} bound what u must be below @param {number | null} u none before it is drawn
     * @param {string} uText of u @param {string} limitText what is said of the threshold */
    show(bound, u, uText, limitText) {
      const sure = bound >= 1;
      edge = Math.min(1, bound);
      low.style.width = share(edge, 1);
      high.style.width = share(1 - edge, 1);
      mark.style.left = share(u ?? 0, 1);
      mark.dataset.side = (u ?? 0) > 0.6 ? "left" : "right";
      mark.toggleAttribute("data-waits", u === null);
      setText(label, uText);
      setText(limit, limitText);
      limit.toggleAttribute("data-sure", sure);
      limit.style.left = sure ? "" : `clamp(6.5em, ${share(edge, 1)}, calc(100% - 6.5em))`;
      scale.root.setAttribute("aria-label", `${uText}; ${limitText}`);
      scale.place(u === null ? [] : [u]);
    },
    /** Its words stand where no mark crosses them. @param {number[]} marks on the scale, from 0 to 1 */
    place(marks) {
      low.dataset.side = roomFor(0, edge, marks, "left");
      high.dataset.side = roomFor(edge, 1, marks, "right");
    },
  };
  return scale;
}

/** The end of the band [from, to] at which its word has room beside the marks: its own end, else the other, else
 * "none". @param {number} from @param {number} to @param {number[]} marks @param {"left" | "right"} own */
export function roomFor(from, to, marks, own) {
  const inside = marks.filter((mark) => mark > from - NEAR && mark < to + NEAR);
  const room = { left: Math.min(to, ...inside) - from, right: to - Math.max(from, ...inside) };
  const other = own === "left" ? "right" : "left";
  if (room[own] >= WORD) return own;
  return room[other] >= WORD ? other : "none";
}

const CLOSE_ROWS = 8; // rows from which on a token has one line

/** @param {RoundConfig} config @param {Round[]} rounds all that it will show: it is as high as the highest of them
 * @param {((round: Round, at: number) => void) | null} [onChoose] a position: 0 the last token of the text, −1 what
 * came out @param {{ mask?: boolean, caches?: boolean, states?: boolean }} [parts] what stands beside and below;
 * `states`: the target has layers that keep a state */
export function makeRound(config, rounds, onChoose = null, parts = {}) {
  const { mask: masked = true, caches: cached = true, states = false } = parts;
  const mostRows = Math.max(1, ...rounds.map((round) => layoutOf(round).rows));
  const title = el("h4");
  const tree = el("div.sv-nodes", { role: "tree", "data-close": mostRows > CLOSE_ROWS ? "" : null });
  const caches = makeCaches(states);
  const falls = testsU(config) && rounds.some(({ drafted }) => drafted.some(({ u }) => u !== null));
  const note = falls ? el("p.sv-note.sv-falls", null, WORDS.u_falls) : null;
  const mask = makeMask(mark, chooseNode);
  const beside = el("div.sv-mask-place", null, masked ? mask.root : null);
  const body = el("div.sv-round-body", null, el("div", null, el("div.sv-nodes-box", null, tree), note), beside);
  const isFolded = mostRows > CLOSE_ROWS && innerWidth <= 760;
  const root = el(
    "details.sv-round",
    { open: isFolded ? null : "" },
    el("summary", null, title),
    body,
    cached ? caches.root : null,
  );
  root.toggleAttribute("data-close", mostRows > CLOSE_ROWS);
  root.style.setProperty("--most", String(mostRows));
  root.style.setProperty("--positions", String(1 + Math.max(0, ...rounds.map(({ drafted }) => drafted.length))));
  /** @type {RoundNodes | null} */
  let rendered = null;
  let lastMoment = "";
  root.toggleAttribute("data-still", !onChoose);
  listenToTree(tree, () => rendered, mark, chooseNode);

  /** @param {Round} round @param {Before} before @returns {RoundNodes} */
  function draw(round, before) {
    const layout = layoutOf(round);
    const stop = rendered ? stopOf(rendered)?.at : 0;
    const { lines, nodes, extra } = drawNodes(round, layout, before, config);
    const tokens = [before.last, ...round.drafted.map(({ token }) => token)];
    mask.draw(round, tokens);
    const views = [...layout.order.map((at) => nodes[at]), ...(extra ? [extra] : [])];
    tree.replaceChildren(lines, ...views.map((view) => view.root));
    tree.style.setProperty("--rows", String(layout.rows));
    tree.style.setProperty("--columns", String(layout.columns));
    if (cached) caches.draw(round, before.read);
    const depth = Math.max(...layout.spots.map((spot) => spot.depth));
    const counts = { round: round.index + 1, n: round.drafted.length, depth };
    const caption = plain(`round_${kindOf(round, depth)}`, counts);
    setText(title, caption);
    tree.setAttribute("aria-label", caption);
    (views.find(({ at }) => at === stop) ?? nodes[0]).root.tabIndex = 0;
    root.toggleAttribute(
      "data-untested",
      round.drafted.every(({ u }) => u === null),
    );
    return { round, nodes, extra, views };
  }

  /** @param {number} at */
  function chooseNode(at) {
    if (rendered) onChoose?.(rendered.round, at);
  }

  /** Whom position `at` sees: in the tree, in the mask and among the cells. @param {number | null} at */
  function mark(at) {
    if (!rendered) return;
    const { round, views } = rendered;
    const reads = at !== null && at >= 0 ? at : null;
    const visible = reads === null ? [] : visiblePositions(round, reads);
    for (const { root: node, link, at: own } of views) {
      node.toggleAttribute("data-seen", visible.includes(own));
      link?.toggleAttribute("data-seen", visible.includes(own));
    }
    mask.mark(reads);
    if (cached) caches.mark(round, reads);
  }

  /** @param {RoundNodes} now @param {Moment} moment @param {boolean} hidesVerdicts */
  function paint({ round, nodes, extra, views }, moment, hidesVerdicts) {
    /** @type {NodeLook[]} */
    const looks = [moment.phase === "verify" && round.drafted.length ? "lit" : "prompt", ...moment.looks];
    const { greedy } = config;
    for (const [at, view] of nodes.entries())
      updateNode(view, looks[at], round.drafted[at - 1] ?? null, moment, hidesVerdicts, greedy);
    if (extra) updateNode(extra, moment.extra, null, moment, hidesVerdicts, greedy);
    mask.show(looks);
    root.dataset.phase = moment.phase;
    const stop = stopOf({ views });
    if (stop && !stop.root.dataset.look) [stop.root.tabIndex, nodes[0].root.tabIndex] = [-1, 0];
  }

  return {
    root,
    /** Bring it to a moment of a round. @param {Round} round @param {number} t @param {() => Before} before
     * @param {boolean} [hidesVerdicts] */
    move(round, t, before, hidesVerdicts = false) {
      const moment = momentAt(round, t);
      const momentKey = JSON.stringify([hidesVerdicts, moment]);
      if (rendered?.round === round && momentKey === lastMoment) return;
      lastMoment = momentKey;
      const hadFocus = tree.contains(document.activeElement);
      if (rendered?.round !== round) rendered = draw(round, before());
      paint(rendered, moment, hidesVerdicts);
      if (hadFocus) stopOf(rendered)?.root.focus({ preventScroll: true }); // its token may be gone
      if (cached) caches.show(round, moment.phase);
    },
    /** The chosen token, by its position in a round. @param {number | null} at @param {Round | null} round */
    choose(at, round) {
      for (const view of rendered?.views ?? [])
        view.root.setAttribute("aria-selected", String(round === rendered?.round && view.at === at));
    },
  };
}

/** Where the Tab key enters the outline. @param {Pick<RoundNodes, "views">} rendered */
const stopOf = ({ views }) => views.find(({ root }) => root.tabIndex === 0);

/** What a round drafted, by the name of its title. @param {Round} round @param {number} depth */
function kindOf(round, depth) {
  if (!round.drafted.length) return "none";
  if (branches(round) && depth < round.drafted.length) return "tree";
  return madeAtOnce(round) ? "block" : "chain";
}
