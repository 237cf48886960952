// The timeline in its place on the page, and what lies over it: the key to its colours, the hand of the replay, and the
// band of one round.

import { keyOf, lanesOf, longestOf } from "../chart/lanes.js";
import { timelineChart } from "../chart/timeline.js";
import { legend } from "../shared/bars.js";
import { el, query } from "../shared/dom.js";

/** @import { LaneName, Picture } from "../shared/types.js" */
/** @import { TimelineEvents, TimelineView } from "./types.js" */

const WIDTH = 800; // px, where its place has none yet

/** @param {HTMLElement} root @param {TimelineEvents} on @returns {TimelineView} */
export function makeTimeline(root, on) {
  const home = query(root, "#timeline");
  const hand = el("div.sv-hand", { "aria-hidden": "true" });
  const band = el("div.sv-band", { "aria-hidden": "true", hidden: "" });
  const over = el("div.sv-overlay", null, legend(...keyOf()), band, hand);
  /** @type {Picture["lanes"] | null} */
  let lanes = null;
  let longest = 1;
  let width = 0;
  const at = (/** @type {number} */ ms) => `${(100 * ms) / longest}%`;
  home.addEventListener("click", (event) => callOnBar(event, on.choose));
  home.addEventListener("pointerover", (event) => {
    if (!callOnBar(event, on.hover)) on.leave();
  });
  home.addEventListener("pointerleave", on.leave);
  function draw() {
    width = home.clientWidth;
    if (lanes) home.replaceChildren(timelineChart(lanes, width || WIDTH), over);
  }
  new ResizeObserver(() => {
    if (home.clientWidth && home.clientWidth !== width) draw();
  }).observe(home);
  return {
    draw(next) {
      lanes = next;
      longest = longestOf(next);
      band.hidden = true;
      draw();
    },
    move(t) {
      hand.style.left = at(Math.min(t, longest));
    },
    mark(target) {
      const rows = lanes ? lanesOf(lanes) : [];
      const row = rows.findIndex(({ name }) => name === target?.lane);
      band.hidden = row < 0;
      if (!target || row < 0) return;
      band.style.left = at(target.round.start);
      band.style.width = at(target.round.end - target.round.start);
      band.style.top = `${(100 * row) / rows.length}%`;
      band.style.height = `${100 / rows.length}%`;
    },
  };
}

/** @param {Event} event @param {(lane: LaneName, round: number) => void} act */
function callOnBar(event, act) {
  const bar = event.target instanceof Element ? event.target.closest("[data-round]") : null;
  if (!(bar instanceof SVGElement)) return false;
  act(/** @type {LaneName} */ (bar.dataset.lane), Number(bar.dataset.round));
  return true;
}
