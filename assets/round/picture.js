// The one picture of a round, drawn from the trace alone: the guesses grow from left to right, one pass lights them,
// u falls on each in turn, the kept path stands, and both caches follow.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { madeAtOnce } from "../shared/tree.js";
import { WORDS } from "../shared/words.js";
import { branches } from "../trace/tree.js";
import { makeCaches } from "./caches.js";
import { layoutOf } from "./layout.js";
import { makeMask, visiblePositions } from "./mask.js";
import { momentAt } from "./moment.js";
import { drawNodes, listenToTree, testsU, updateNode } from "./nodes.js";

/** @import { Round } from "../shared/types.js" */
/** @import { Before, RoundNodes, Look, Moment, RoundConfig } from "./types.js" */

const CLOSE_ROWS = 8; // rows from which on a token has one line

/**
 * @param {RoundConfig} config @param {Round[]} rounds all that it will show: it is as high as the highest of them
 * @param {((round: Round, at: number) => void) | null} [onChoose] a position: 0 the last token of the text, −1 what
 * came out
 * @param {{ mask?: boolean, caches?: boolean, states?: boolean }} [parts] what stands beside and below; `states`: the
 * target has layers that keep a state
 */
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
  const folded = mostRows > CLOSE_ROWS && innerWidth <= 760;
  const root = el(
    "details.sv-round",
    { open: folded ? null : "" },
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
    /** @type {Look[]} */
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
    /**
     * Bring it to a moment of a round.
     * @param {Round} round @param {number} t @param {() => Before} before @param {boolean} [hidesVerdicts]
     */
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
