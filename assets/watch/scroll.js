// A long text scrolls inside its lane, after what happens in it: whole lines, the one that is at work among them. How
// high the lanes are.

import { whileHere } from "../shared/dom.js";

/** @import { LaneView, Places, Race, TokenSpan } from "./types.js" */

const WIDE = 1060; // px, from which on lanes stand beside each other and the inspector in the place of one
const LEAST = 240; // px of both lanes
const MARGIN = 8; // px under the signs

/**
 * On a wide screen lanes, player, sentence and signs take one screen together, whatever stands above them; where the
 * style sheets want to know how high the lanes then are, and where they begin. @param {Race} race
 */
export function fitLanes(race) {
  const { root, stage } = race;
  const fit = () => {
    if (!root.isConnected) return observer.disconnect();
    const alone = document.body.matches("[data-figure], [data-sv-projector]");
    root.toggleAttribute("data-fits", root.offsetWidth >= WIDE && !alone);
    const lanes = /** @type {HTMLElement | null} */ (stage.querySelector(".sv-lanes"));
    const signs = race.screen?.signs.firstElementChild;
    if (!lanes?.offsetHeight || !signs?.isConnected) return; // of a live run they stay as high as they were
    const { top, bottom } = lanes.getBoundingClientRect();
    const below = signs.getBoundingClientRect().bottom - bottom;
    const height = Math.max(LEAST, Math.floor(innerHeight - (top + scrollY) - below - MARGIN));
    root.style.setProperty("--sv-lanes-height", `${height}px`);
    root.style.setProperty("--sv-lanes-top", `${lanes.offsetTop}px`);
  };
  const observer = new ResizeObserver(fit);
  for (const each of [document.body, root, stage]) observer.observe(each);
  whileHere(root, window, "resize", fit);
  return fit;
}

/**
 * A line stays free below the one at work, for the rest of its block. Spans never move, so their places are read once;
 * read while it plays, each would cost a layout.
 * @param {LaneView} view @param {TokenSpan} span
 */
export function scrollToSpan(view, span) {
  view.scrollTarget = span;
  view.places ||= measureLines(view);
  const { places } = view;
  if (!places.long) return;
  const row = Math.floor((places.tops[span.at] + places.line / 2) / places.line);
  const top = places.line * Math.max(0, row - Math.max(0, places.rows - 2));
  if (top === places.scrollTop || Math.abs((places.scrollTop ?? view.text.scrollTop) - top) <= 8) return;
  view.text.scrollTop = top;
  places.scrollTop = top;
}

/** What was written is read from its first line, below as much of the prompt as finds room. @param {LaneView} view */
export function scrollToStart(view) {
  const first = view.byRound[0]?.[0];
  if (first) scrollToSpan(view, first);
}

/** @param {LaneView} view @returns {Places} */
function measureLines({ text, spans }) {
  const { scrollHeight, clientHeight } = text;
  if (scrollHeight <= clientHeight + 4) return { long: false, rows: 0, line: 0, tops: [] };
  const line = Number.parseFloat(getComputedStyle(text).lineHeight);
  const rows = Math.floor(clientHeight / line + 0.1);
  return { long: true, rows, line, tops: topsOf(spans) };
}

/** A span that is not drawn stands where the one before it does. @param {TokenSpan[]} spans */
function topsOf(spans) {
  let top = 0;
  return spans.map((span) => {
    if (span.offsetParent) top = span.offsetTop;
    return top;
  });
}

/** @param {LaneView} view */
export function watchScroll(view) {
  const onScroll = () => {
    if (view.places) view.places.scrollTop = undefined;
  };
  view.text.addEventListener("scroll", onScroll, { passive: true });
  // at another size, as on a projector, other lines are in sight
  new ResizeObserver(() => {
    view.places = null;
    const { clientHeight, style } = view.text;
    if (!clientHeight) return; // in a tab that is not shown
    const overhang = clientHeight % Number.parseFloat(getComputedStyle(view.text).lineHeight);
    style.clipPath = overhang > 1 ? `inset(0 0 ${overhang}px)` : ""; // no line is cut
    style.paddingBottom = overhang > 1 ? `${overhang}px` : ""; // nor the last one
    if (view.scrollTarget) scrollToSpan(view, view.scrollTarget);
  }).observe(view.text);
}
