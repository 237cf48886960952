// The timeline of a page without Gradio. It answers to the same calls as assets/watch/timeline.js, whose place it
// takes.

import { timelineChart } from "../chart/timeline.js";
import { query } from "../shared/dom.js";
import { makeOverlay } from "../watch/overlay.js";

/** @import { LaneName, Picture } from "../shared/types.js" */
/** @import { TimelineEvents, TimelineView } from "../watch/types.js" */

const WIDTH = 800; // px, where its place has none yet

/** @param {HTMLElement} root @param {TimelineEvents} on @returns {TimelineView} */
export function makeTimeline(root, on) {
  const home = query(root, "#timeline");
  const over = makeOverlay();
  /** @type {Picture["lanes"] | null} */
  let lanes = null;
  let width = 0;
  home.addEventListener("click", (event) => callOnBar(event, on.choose));
  home.addEventListener("pointerover", (event) => {
    if (!callOnBar(event, on.hover)) on.leave();
  });
  home.addEventListener("pointerleave", on.leave);
  function draw() {
    width = home.clientWidth;
    if (lanes) home.replaceChildren(timelineChart(lanes, width || WIDTH), over.root);
  }
  new ResizeObserver(() => {
    if (home.clientWidth && home.clientWidth !== width) draw();
  }).observe(home);
  return {
    ...over,
    draw(next) {
      lanes = next;
      over.draw(next);
      draw();
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
