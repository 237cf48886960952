// The replay's hand on the timeline and the band of one round, over Plotly's drawing, placed where its axes say; and
// what is pointed at in it. Plotly may come late, be replaced by another run's, or never come.

import { el } from "../shared/dom.js";

/** @import { LaneName } from "../shared/types.js" */
/** @import { Marked, TimelineEvents, TimelineView } from "./types.js" */

/** @typedef {{ _offset: number, _length: number, range: [number, number], _categories?: string[] }} Axis */
/** @typedef {{ xaxis: Axis, yaxis: Axis }} Layout */
/** @typedef {HTMLElement & { _fullLayout?: Layout, on?: (name: string, act: (event: any) => void) => void }} Plot */

/**
 * @param {HTMLElement} root @param {TimelineEvents} on
 * @returns {TimelineView}
 */
export function makeTimeline(root, on) {
  const hand = el("div.sv-hand", { "aria-hidden": "true", hidden: "" });
  const band = el("div.sv-band", { "aria-hidden": "true", hidden: "" });
  const plotOf = () => /** @type {Plot | null} */ (root.querySelector("#timeline .js-plotly-plot"));
  /** @type {Plot | null} */
  let known = null;
  /** @type {Element | null} */
  let watched = null;
  let t = 0;
  /** @type {Marked | null} */
  let marked = null;

  function place() {
    const plot = plotOf();
    const layout = plot?._fullLayout;
    if (!plot || !layout?.xaxis?._length) return null;
    if (plot !== known && plot.on) {
      known = plot;
      listen(plot, on, placeAll);
    }
    if (hand.parentNode !== plot) {
      plot.append(band, hand);
      hand.hidden = false;
      placeAll();
    }
    hand.style.transform = `translateX(${along(layout.xaxis, t)}px)`;
    return layout;
  }

  function placeAll() {
    const layout = place();
    if (!layout) return;
    hand.style.top = `${layout.yaxis._offset - 2}px`; // below the legend, however many lines it takes
    hand.style.height = `${layout.yaxis._length + 4}px`;
    placeBand(layout);
  }

  function placeBand(/** @type {Layout} */ { xaxis, yaxis }) {
    const row = marked && yaxis._categories ? yaxis._categories.indexOf(marked.lane) : -1;
    band.hidden = row < 0;
    if (!marked || row < 0) return;
    const [low, high] = yaxis.range;
    const height = yaxis._length / (high - low);
    const from = along(xaxis, marked.round.start);
    const top = yaxis._offset + yaxis._length - (row - low + 0.5) * height;
    band.style.transform = `translate(${from - 2}px, ${top}px)`;
    band.style.width = `${along(xaxis, marked.round.end) - from + 4}px`;
    band.style.height = `${height}px`;
  }

  // It may come while nothing moves.
  const seen = new MutationObserver(() => {
    if (!root.isConnected) return seen.disconnect();
    const home = root.querySelector("#timeline");
    const plot = home && plotOf();
    if (home && watched !== home) {
      watched = home;
      seen.disconnect();
      seen.observe(home, { childList: true, subtree: true });
    }
    if (plot && (plot !== known || hand.parentNode !== plot)) placeAll();
    if (plot) ownNames();
  });
  seen.observe(root, { childList: true, subtree: true });
  return {
    move(time) {
      t = time;
      place();
    },
    mark(round) {
      marked = round;
      placeAll();
    },
  };
}

/** @param {Axis} axis @param {number} at */
const along = ({ _offset, _length, range }, at) => _offset + (_length * (at - range[0])) / (range[1] - range[0]);

/** @param {Plot} plot @param {TimelineEvents} on @param {() => void} drawn again, at another width too */
function listen(plot, on, drawn) {
  const told = (/** @type {(lane: LaneName, round: number) => void} */ call) => (/** @type {any} */ event) => {
    const point = event?.points?.[0];
    if (point && point.customdata !== undefined) call(point.y, point.customdata);
  };
  plot.on?.("plotly_hover", told(on.hover));
  plot.on?.("plotly_unhover", on.leave);
  plot.on?.("plotly_click", told(on.choose));
  plot.on?.("plotly_afterplot", drawn);
}

/** Plotly puts style sheets into the page under one id; an id is one element's (axe-core: duplicate-id). */
function ownNames() {
  const [, ...others] = document.querySelectorAll("style[id='plotly.js-style-global']");
  for (const sheet of others) sheet.removeAttribute("id");
}
