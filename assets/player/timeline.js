// The replay's hand on the timeline: a line over Plotly's drawing, placed where its axis says. Plotly may come late or never.

function makeHand(root) {
  const hand = el("div.sv-hand", { "aria-hidden": "true", hidden: "" });
  return (t) => {
    const plot = root.querySelector("#timeline .js-plotly-plot"), layout = plot && plot._fullLayout;
    if (!layout || !layout.xaxis || !layout.xaxis._length) return;
    if (hand.parentNode !== plot) plot.append(hand);
    const { _offset, _length, range } = layout.xaxis;
    const x = _offset + (_length * (t - range[0])) / (range[1] - range[0]);
    hand.hidden = false;
    hand.style.transform = `translateX(${x}px)`;
  };
}
