// A long text scrolls inside its lane, after what happens in it, and fades out where it goes on.

/** @import { LaneView, Places, TokenSpan } from "./types.js" */

/**
 * Spans never move, so their places are read once; read while it plays, each would cost a layout.
 * @param {LaneView} view @param {TokenSpan} span
 */
export function follow(view, span) {
  view.places ||= measure(view);
  const { places } = view;
  if (!places.long) return;
  const lines = Math.round((places.tops[span.at] - places.high * 0.7) / places.line);
  const wanted = places.line * Math.max(0, lines); // whole lines, so that none is cut
  if (wanted === places.scrolled || Math.abs((places.scrolled ?? view.text.scrollTop) - wanted) <= 8) return;
  view.text.scrollTop = wanted;
  places.scrolled = wanted;
}

/** @param {LaneView} view @returns {Places} */
function measure({ text, spans }) {
  const { scrollHeight, clientHeight } = text;
  const long = scrollHeight > clientHeight + 4;
  const line = Number.parseFloat(getComputedStyle(text).lineHeight);
  return { long, high: clientHeight, line, tops: long ? spans.map((span) => span.offsetTop) : [] };
}

/** @param {LaneView} view */
export function watchScroll(view) {
  const showEdges = () => {
    const { text } = view;
    text.toggleAttribute("data-above", text.scrollTop > 4);
    text.toggleAttribute("data-below", text.scrollHeight - text.clientHeight - text.scrollTop > 4);
  };
  const scrolled = () => {
    if (view.places) view.places.scrolled = undefined;
    showEdges();
  };
  view.text.addEventListener("scroll", scrolled, { passive: true });
  new ResizeObserver(() => {
    view.places = null;
    showEdges();
  }).observe(view.text);
}
