// What lies over a timeline: the key to its colours, the hand of the replay, and the band of one round.

import { keyOf, lanesOf, longestOf } from "../chart/lanes.js";
import { legend } from "../shared/bars.js";
import { el } from "../shared/dom.js";

/** @import { Lane } from "../shared/types.js" */
/** @import { TimelineView } from "./types.js" */

/** It fills the box that holds it but for the margins of the chart. @returns {TimelineView & { root: HTMLElement }} */
export function makeOverlay() {
  const hand = el("div.sv-hand", { "aria-hidden": "true" });
  const band = el("div.sv-band", { "aria-hidden": "true", hidden: "" });
  /** @type {Lane[]} */
  let lanes = [];
  let longest = 1;
  const at = (/** @type {number} */ ms) => `${(100 * ms) / longest}%`;
  return {
    root: el("div.sv-overlay", null, legend(...keyOf()), band, hand),
    draw(all) {
      lanes = lanesOf(all);
      longest = longestOf(all);
      band.hidden = true;
    },
    move(t) {
      hand.style.left = at(Math.min(t, longest));
    },
    mark(target) {
      const row = lanes.findIndex(({ name }) => name === target?.lane);
      band.hidden = row < 0;
      if (!target || row < 0) return;
      band.style.left = at(target.round.start);
      band.style.width = at(target.round.end - target.round.start);
      band.style.top = `${(100 * row) / lanes.length}%`;
      band.style.height = `${100 / lanes.length}%`;
    },
  };
}
