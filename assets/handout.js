// The timeline of a hand-out: both lanes on one axis of milliseconds, as elements, since Plotly is not there. It answers to the
// same calls as assets/player/timeline.js, whose place it takes.

function makeTimeline(root, on) {
  const home = root.querySelector("#timeline"), told = props.handout;
  const { lanes } = JSON.parse(props.value), names = ["vanilla", "speculative"].filter((name) => lanes[name]);
  const longest = Math.max(1e-9, ...names.map((name) => lanes[name].duration));
  const at = (ms) => (100 * ms) / longest + "%";
  const hand = el("div.sv-tl-hand", { "aria-hidden": "true" });
  const bands = Object.fromEntries(names.map((name) => [name, el("div.sv-tl-band", { hidden: "", "aria-hidden": "true" })]));
  const tracks = names.map((name) => el("div.sv-tl-track", { "data-lane": name }, lanes[name].rounds.map((round, index) => bars(round, index)), bands[name]));
  const rows = names.flatMap((name, i) => [el("span.sv-tl-name", null, WORDS[name]), tracks[i]]);
  home.replaceChildren(
    el("div.sv-tl-keys", null, ["draft", "verify", "rest"].map((part) => el("span", null, el("span.sv-dot", { "data-part": part }), told[part]))),
    el("div.sv-tl", { role: "img", "aria-label": told.label }, rows, el("span"), axis(longest), el("div.sv-tl-over", { "aria-hidden": "true" }, hand)),
    el("p.sv-tl-unit", null, told.unit));
  home.addEventListener("click", (event) => tell(event, on.choose));
  home.addEventListener("pointerover", (event) => tell(event, on.hover) || on.leave());
  home.addEventListener("pointerleave", () => on.leave());

  function bars(round, index) {
    return [["draft", round.start, round.drafted_at], ["verify", round.drafted_at, round.verified_at], ["rest", round.verified_at, round.end]]
      .filter(([, from, to]) => to > from).map(([part, from, to]) => {
        const title = told.bar.replace(/\{(\w+)\}/g, (_, name) => ({ round: index + 1, part: told[part], ms: number(to - from, 2) })[name]);
        const node = el("span.sv-tl-bar", { "data-part": part, "data-round": index, title });
        node.style.left = at(from);
        node.style.width = at(to - from);
        return node;
      });
  }

  function axis(whole) {
    const step = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10000, 30000].find((s) => whole / s <= 8) || whole;
    const ticks = Array.from({ length: Math.floor(whole / step) + 1 }, (_, i) => i * step);
    return el("div.sv-tl-axis", { "aria-hidden": "true" }, ticks.map((ms) => {
      const tick = el("span", null, number(ms, 0));
      tick.style.left = at(ms);
      return tick;
    }));
  }

  function tell(event, call) {
    const bar = event.target.closest(".sv-tl-bar");
    if (bar) call(bar.parentNode.dataset.lane, Number(bar.dataset.round));
    return bar;
  }

  return {
    move(t) {
      hand.style.left = at(Math.min(t, longest));
    },
    mark(lane, round) {
      for (const name of names) {
        bands[name].hidden = !round || name !== lane;
        if (bands[name].hidden) continue;
        bands[name].style.left = at(round.start);
        bands[name].style.width = at(round.end - round.start);
      }
    },
  };
}
