// The replay's hand on the timeline and the band of one round, over Plotly's drawing, placed where its axes say; and what is pointed
// at in it. Plotly may come late, be replaced by another run's, or never come.

// Plotly puts style sheets into the page under one id; an id is one element's (axe-core: duplicate-id).
function ownNames() {
  document.querySelectorAll("style[id='plotly.js-style-global']").forEach((sheet, i) => i && sheet.removeAttribute("id"));
}

// `on.hover(lane, round)` and `on.leave()` while the bars are pointed at, `on.choose(lane, round)` when one is clicked.
function makeTimeline(root, on) {
  const hand = el("div.sv-hand", { "aria-hidden": "true", hidden: "" }), band = el("div.sv-band", { "aria-hidden": "true", hidden: "" });
  const plotOf = () => root.querySelector("#timeline .js-plotly-plot");
  let known = null, watched = null, t = 0, marked = null; // marked: {lane, round}

  function place() {
    const plot = plotOf(), layout = plot && plot._fullLayout;
    if (!layout || !layout.xaxis || !layout.xaxis._length) return;
    if (plot !== known && plot.on) listen(plot);
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
    hand.style.top = layout.yaxis._offset - 2 + "px"; // below the legend, however many lines it takes
    hand.style.height = layout.yaxis._length + 4 + "px";
    placeBand(layout);
  }

  const along = ({ _offset, _length, range }, at) => _offset + (_length * (at - range[0])) / (range[1] - range[0]);

  function placeBand({ xaxis, yaxis }) {
    const row = marked && yaxis._categories ? yaxis._categories.indexOf(marked.lane) : -1;
    band.hidden = row < 0;
    if (row < 0) return;
    const [low, high] = yaxis.range, height = yaxis._length / (high - low);
    const from = along(xaxis, marked.round.start), to = along(xaxis, marked.round.end);
    band.style.transform = `translate(${from - 2}px, ${yaxis._offset + yaxis._length - (row - low + 0.5) * height}px)`;
    band.style.width = to - from + 4 + "px";
    band.style.height = height + "px";
  }

  function listen(plot) {
    known = plot;
    const told = (call) => (event) => {
      const point = event && event.points && event.points[0];
      if (point && point.customdata !== undefined) call(point.y, point.customdata);
    };
    plot.on("plotly_hover", told(on.hover));
    plot.on("plotly_unhover", on.leave);
    plot.on("plotly_click", told(on.choose));
    plot.on("plotly_afterplot", placeAll); // drawn again, at another width too
  }

  // It may come while nothing moves.
  const seen = new MutationObserver(() => {
    if (!root.isConnected) return seen.disconnect();
    const home = root.querySelector("#timeline"), plot = home && plotOf();
    if (home && watched !== home) {
      seen.disconnect();
      seen.observe((watched = home), { childList: true, subtree: true });
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
    mark(lane, round) {
      marked = round ? { lane, round } : null;
      placeAll();
    },
  };
}
