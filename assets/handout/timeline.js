// The timeline of a hand-out: both lanes on one axis of milliseconds, as elements, since Plotly is not there. It
// answers to the same calls as assets/watch/timeline.js, whose place it takes.

import { legend } from "../shared/bars.js";
import { el, the } from "../shared/dom.js";
import { number } from "../shared/numbers.js";
import { filled } from "../shared/sentences.js";
import { WORDS } from "../shared/words.js";

/** @import { LaneName, Picture, Round } from "../shared/types.js" */
/** @import { TimelineEvents, TimelineView } from "../watch/types.js" */

/** @typedef {Record<"draft" | "verify" | "rest" | "unit" | "label" | "bar", string>} Words */

export const PARTS = /** @type {const} */ (["draft", "verify", "rest"]);
const STEPS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000];

/**
 * @param {HTMLElement} root @param {TimelineEvents} on @param {Words} words
 * @returns {TimelineView & { draw: (lanes: Picture["lanes"]) => void }}
 */
export function makeTimeline(root, on, words) {
  const home = the(root, "#timeline");
  const hand = el("div.sv-tl-hand", { "aria-hidden": "true" });
  /** @type {Map<LaneName, HTMLElement>} */
  const bands = new Map();
  let longest = 1e-9;
  const at = (/** @type {number} */ ms) => `${(100 * ms) / longest}%`;
  home.addEventListener("click", (event) => tell(event, on.choose));
  home.addEventListener("pointerover", (event) => {
    if (!tell(event, on.hover)) on.leave();
  });
  home.addEventListener("pointerleave", on.leave);
  return {
    draw(lanes) {
      const shown = [lanes.vanilla, lanes.speculative].filter((lane) => lane !== null);
      longest = Math.max(1e-9, ...shown.map(({ duration }) => duration));
      bands.clear();
      const rows = shown.flatMap(({ name, rounds }) => {
        const band = el("div.sv-tl-band", { hidden: "", "aria-hidden": "true" });
        bands.set(name, band);
        const bars = rounds.map((round, index) => elementsOf(round, index, words, at));
        return [el("span.sv-tl-name", null, WORDS[name]), el("div.sv-tl-track", { "data-lane": name }, bars, band)];
      });
      const over = el("div.sv-tl-over", { "aria-hidden": "true" }, hand);
      home.replaceChildren(
        legend(...PARTS.map((part) => /** @type {[string, string]} */ ([part, words[part]]))),
        el("div.sv-tl", { role: "img", "aria-label": words.label }, ...rows, el("span"), axis(longest, at), over),
        el("p.sv-tl-unit", null, words.unit),
      );
    },
    move(t) {
      hand.style.left = at(Math.min(t, longest));
    },
    mark(marked) {
      for (const [name, band] of bands) {
        band.hidden = name !== marked?.lane;
        if (!marked || band.hidden) continue;
        band.style.left = at(marked.round.start);
        band.style.width = at(marked.round.end - marked.round.start);
      }
    },
  };
}

/** What of a round took time, and when. @param {Round} round */
export function barsOf(round) {
  const moments = [round.start, round.drafted_at, round.verified_at, round.end];
  return PARTS.map((part, i) => ({ part, from: moments[i], to: moments[i + 1] })).filter(({ from, to }) => to > from);
}

/** @param {Round} round @param {number} index @param {Words} words @param {(ms: number) => string} at */
function elementsOf(round, index, words, at) {
  return barsOf(round).map(({ part, from, to }) => {
    const title = filled(words.bar, { round: index + 1, part: words[part], ms: number(to - from, 2) });
    const node = el("span.sv-tl-bar", { "data-series": part, "data-round": index, title });
    node.style.left = at(from);
    node.style.width = at(to - from);
    return node;
  });
}

/** Moments that an axis of so many ms names. @param {number} whole */
export function ticksOf(whole) {
  const step = STEPS.find((each) => whole / each <= 8) || whole;
  return Array.from({ length: Math.floor(whole / step) + 1 }, (_, i) => i * step);
}

/** @param {number} whole @param {(ms: number) => string} at */
function axis(whole, at) {
  const ticks = ticksOf(whole).map((ms) => {
    const tick = el("span", null, number(ms, 0));
    tick.style.left = at(ms);
    return tick;
  });
  return el("div.sv-tl-axis", { "aria-hidden": "true" }, ticks);
}

/** @param {Event} event @param {(lane: LaneName, round: number) => void} call */
function tell(event, call) {
  const bar = event.target instanceof Element ? event.target.closest(".sv-tl-bar") : null;
  if (!(bar instanceof HTMLElement) || !bar.parentElement) return false;
  call(/** @type {LaneName} */ (bar.parentElement.dataset.lane), Number(bar.dataset.round));
  return true;
}
