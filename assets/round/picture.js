// The one picture of a round, drawn from the trace alone: the guesses grow from left to right, one pass lights them,
// u falls on each in turn, the kept path stands, and both caches follow.

import { el, setText } from "../shared/dom.js";
import { plain } from "../shared/sentences.js";
import { madeAtOnce } from "../shared/tree.js";
import { WORDS } from "../shared/words.js";
import { branches } from "../trace/tree.js";
import { makeCaches } from "./caches.js";
import { laidOut } from "./layout.js";
import { makeMask, seenFrom } from "./mask.js";
import { momentAt } from "./moment.js";
import { drawNodes, testsU, updateNode } from "./nodes.js";
import { listen } from "./outline.js";

/** @import { Round } from "../shared/types.js" */
/** @import { Before, Drawn, Look, Moment, RoundConfig } from "./types.js" */

const CLOSE = 8; // rows from which on a token has one line

/**
 * @param {RoundConfig} config @param {Round[]} rounds all that it will show: it is as high as the highest of them
 * @param {((round: Round, at: number) => void) | null} [onChoose] a position: 0 the last token of the text, −1 what
 * came out
 * @param {{ mask?: boolean, caches?: boolean, states?: boolean }} [parts] what stands beside and below; `states`: the
 * target has layers that keep a state
 */
export function makeRound(config, rounds, onChoose = null, parts = {}) {
  const { mask: masked = true, caches: cached = true, states = false } = parts;
  const most = Math.max(1, ...rounds.map((round) => laidOut(round).rows));
  const title = el("h4");
  const tree = el("div.sv-nodes", { role: "tree", "data-close": most > CLOSE ? "" : null });
  const caches = makeCaches(states);
  const falls = testsU(config) && rounds.some(({ drafted }) => drafted.some(({ u }) => u !== null));
  const note = falls ? el("p.sv-note.sv-falls", null, WORDS.u_falls) : null;
  const mask = makeMask(mark, chosen);
  const beside = el("div.sv-mask-place", null, masked ? mask.root : null);
  const body = el("div.sv-round-body", null, el("div", null, el("div.sv-nodes-box", null, tree), note), beside);
  const folded = most > CLOSE && innerWidth <= 760;
  const root = el(
    "details.sv-round",
    { open: folded ? null : "" },
    el("summary", null, title),
    body,
    cached ? caches.root : null,
  );
  root.toggleAttribute("data-close", most > CLOSE);
  root.style.setProperty("--most", String(most));
  root.style.setProperty("--positions", String(1 + Math.max(0, ...rounds.map(({ drafted }) => drafted.length))));
  /** @type {Drawn | null} */
  let drawn = null;
  let shown = "";
  root.toggleAttribute("data-still", !onChoose);
  listen(tree, () => drawn, mark, chosen);

  /** @param {Round} round @param {Before} before @returns {Drawn} */
  function draw(round, before) {
    const layout = laidOut(round);
    const stop = drawn ? stopOf(drawn)?.at : 0;
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
    const said = plain(`round_${kindOf(round, depth)}`, counts);
    setText(title, said);
    tree.setAttribute("aria-label", said);
    (views.find(({ at }) => at === stop) ?? nodes[0]).root.tabIndex = 0;
    root.toggleAttribute(
      "data-untested",
      round.drafted.every(({ u }) => u === null),
    );
    return { round, layout, nodes, extra, views };
  }

  /** @param {number} at */
  function chosen(at) {
    if (drawn) onChoose?.(drawn.round, at);
  }

  /** Whom position `at` sees: in the tree, in the mask and among the cells. @param {number | null} at */
  function mark(at) {
    if (!drawn) return;
    const { round, views } = drawn;
    const reads = at !== null && at >= 0 ? at : null;
    const seen = reads === null ? [] : seenFrom(round, reads);
    for (const { root: node, link, at: own } of views) {
      node.toggleAttribute("data-seen", seen.includes(own));
      link?.toggleAttribute("data-seen", seen.includes(own));
    }
    mask.mark(reads);
    if (cached) caches.mark(round, reads);
  }

  /** @param {Drawn} now @param {Moment} moment @param {boolean} asking */
  function paint({ round, nodes, extra, views }, moment, asking) {
    /** @type {Look[]} */
    const looks = [moment.phase === "verify" && round.drafted.length ? "lit" : "prompt", ...moment.looks];
    const { greedy } = config;
    for (const [at, view] of nodes.entries())
      updateNode(view, looks[at], round.drafted[at - 1] ?? null, moment, asking, greedy);
    if (extra) updateNode(extra, moment.extra, null, moment, asking, greedy);
    mask.show(looks);
    root.dataset.phase = moment.phase;
    const stop = stopOf({ views });
    if (stop && !stop.root.dataset.look) [stop.root.tabIndex, nodes[0].root.tabIndex] = [-1, 0];
  }

  return {
    root,
    /**
     * Bring it to a moment of a round.
     * @param {Round} round @param {number} t @param {() => Before} before @param {boolean} [asking]
     */
    move(round, t, before, asking = false) {
      const moment = momentAt(round, t);
      const sign = JSON.stringify([asking, moment]);
      if (drawn?.round === round && sign === shown) return;
      shown = sign;
      const held = tree.contains(document.activeElement);
      if (drawn?.round !== round) drawn = draw(round, before());
      paint(drawn, moment, asking);
      if (held) stopOf(drawn)?.root.focus({ preventScroll: true }); // another round, or its token is no longer there
      if (cached) caches.show(round, moment.phase);
    },
    /** The chosen token, by its position in a round. @param {number | null} at @param {Round | null} round */
    choose(at, round) {
      for (const view of drawn?.views ?? [])
        view.root.setAttribute("aria-selected", String(round === drawn?.round && view.at === at));
    },
  };
}

/** Where the Tab key enters the outline. @param {Pick<Drawn, "views">} drawn */
const stopOf = ({ views }) => views.find(({ root }) => root.tabIndex === 0);

/** What a round drafted, by the name of its title. @param {Round} round @param {number} depth */
function kindOf(round, depth) {
  if (!round.drafted.length) return "none";
  if (branches(round) && depth < round.drafted.length) return "tree";
  return madeAtOnce(round) ? "block" : "chain";
}
