// Chapter 1: each token costs a pass over all weights; and what a pass over n tokens costs on this machine, once it is measured.

const PASS_MS = 900, BLOCKS = [1, 2, 4, 8, 16];

function alone({ before, tokens, target }) {
  const spans = tokens.slice(0, 8).map(({ text }) => tokenBox(text, ""));
  const sweep = el("span.lrn-sweep"), count = el("span.lrn-note");
  const label = filled(T.weights, { target: target.name, megabytes: megabytes(target) });
  const node = el("div.lrn-alone", null, flow(before, spans),
    el("div.lrn-memory", null, el("div.lrn-memory-track", null, sweep, el("span", null, label)), count), blocks());
  const beats = evenly(spans.map((_, i) => [T.alone_pass, { n: i + 1 }]), PASS_MS);
  return {
    node, beats, tail: PASS_MS,
    paint(t, i) {
      const over = t >= beats.length * PASS_MS, done = i + (t - i * PASS_MS > 0.85 * PASS_MS); // a token comes out at the end of its pass
      sweep.style.width = share(over ? 1 : (t / PASS_MS - i) / 0.85, 1);
      spans.forEach((token, k) => setRole(token, k < done ? "plain" : ""));
      setText(count, filled(T.read, { times: done, megabytes: megabytes(target, done) }));
    },
  };
}

// The chart: an outline where each token would cost a pass, and inside it what was measured.
function blocks() {
  const rows = el("div.lrn-rows"), told = el("p.lrn-note", { "aria-live": "polite" });
  const button = props.measures ? el("button.lrn-button", { type: "button" }, T.measure) : null;
  const draw = () => {
    const found = props.value ? JSON.parse(props.value) : null, ms = found && found.ms;
    rows.replaceChildren(...BLOCKS.map((n) => blockRow(n, ms)));
    if (button) { button.disabled = false; setText(button, ms ? T.measure_again : T.measure); }
    if (found) told.replaceChildren(...(found.error ? fill(T.measure_failed, found) : fill(T.measured, found)));
  };
  if (button) button.addEventListener("click", () => {
    button.disabled = true;
    setText(told, T.measuring);
    trigger("measure", {});
  });
  onMeasured = draw;
  draw();
  return el("div.lrn-blocks", null, el("div.lrn-blocks-head", null, el("h4", null, T.blocks), button), legendOf(["target", T.blocks_measured], ["outline", T.blocks_outline]), rows, told);
}

let onMeasured = () => {};

function blockRow(n, ms) {
  const most = BLOCKS[BLOCKS.length - 1], ratio = ms && ms[n] / ms[1];
  const value = ms ? `${times(ratio)} · ${filled(T.blocks_ms, { ms: milliseconds(ms[n]) })}` : T.blocks_ask;
  return row(filled(T.blocks_n, { n }), [span("outline", n, most), ms ? span("target", ratio, most) : null], value);
}
