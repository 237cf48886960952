// The timeline that Plotly draws on a page of Gradio. It may come late, be replaced by another run's, or never come.

import { timelineText } from "../chart/lanes.js";
import { makeOverlay } from "./overlay.js";

/** @import { LaneName } from "../shared/types.js" */
/** @import { TimelineEvents, TimelineView } from "./types.js" */

/** @typedef {{ name: string, marker: { color: string } }} Trace */
/** @typedef {HTMLElement & { data?: Trace[], on?: (name: string, act: (event: any) => void) => void }} Plot */

/** @param {HTMLElement} root @param {TimelineEvents} on @returns {TimelineView} */
export function makeTimeline(root, on) {
  const over = makeOverlay();
  let label = "";
  /** @type {Element | null} */
  let home = null;
  /** @type {Plot | null} */
  let plot = null;

  /** Over Plotly's drawing, as soon as there is one. */
  function attachOverlay() {
    const now = /** @type {Plot | null} */ (root.querySelector("#timeline .js-plotly-plot"));
    if (!now?.on) return;
    if (now !== plot) listenToPlot(now, on);
    plot = now;
    if (over.root.parentNode !== plot) plot.append(over.root);
    plot.setAttribute("role", "img");
    plot.setAttribute("aria-label", label);
    colourKeys(over.root, plot.data ?? []);
    removeSharedIds();
  }

  const observer = new MutationObserver(() => {
    if (!root.isConnected) return observer.disconnect();
    watchHome();
    attachOverlay();
  });
  /** Of all that changes in the race only its own place, once it is there. */
  function watchHome() {
    const now = root.querySelector("#timeline");
    if (home && home === now) return;
    home = now;
    observer.disconnect();
    observer.observe(home ?? root, { childList: true, subtree: true });
  }
  watchHome();
  // Plotly follows the window alone, and the inspector takes a third of it.
  new ResizeObserver(() => plot?.clientWidth && resizePlot(plot)).observe(root);
  return {
    draw(lanes) {
      over.draw(lanes);
      label = timelineText(lanes);
      attachOverlay();
    },
    move: over.move,
    mark: over.mark,
  };
}

/** @param {Plot} plot @param {TimelineEvents} on */
function listenToPlot(plot, on) {
  const onPoint = (/** @type {(lane: LaneName, round: number) => void} */ call) => (/** @type {any} */ event) => {
    const point = event?.points?.[0];
    if (point && point.customdata !== undefined) call(point.y, point.customdata);
  };
  plot.on?.("plotly_hover", onPoint(on.hover));
  plot.on?.("plotly_unhover", on.leave);
  plot.on?.("plotly_click", onPoint(on.choose));
}

/**
 * The key has the colours of Plotly's bars, which are the same in both themes.
 * @param {HTMLElement} over @param {Trace[]} traces
 */
function colourKeys(over, traces) {
  for (const key of /** @type {NodeListOf<HTMLElement>} */ (over.querySelectorAll(".sv-key"))) {
    const trace = traces.find(({ name }) => name === key.textContent);
    if (trace) key.style.setProperty("--of", trace.marker.color);
  }
}

/** @param {Plot} plot */
function resizePlot(plot) {
  const { Plotly } = /** @type {Window & { Plotly?: { Plots: { resize: (plot: Plot) => void } } }} */ (window);
  Plotly?.Plots.resize(plot);
}

/** Plotly puts style sheets into the page under one id; an id is one element's (axe-core: duplicate-id). */
function removeSharedIds() {
  const [, ...others] = document.querySelectorAll("style[id='plotly.js-style-global']");
  for (const sheet of others) sheet.removeAttribute("id");
}
