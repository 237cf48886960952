// Chapter 4: the block goes through the target at once, and K + 1 distributions come out; the measured times of both ways to scale.

const FEED_MS = 2200, PASS_AT = 2200, OUT_AT = 4400, TIMES_AT = 6600, TIMES_MS = 3600;

function verify({ before, round, target, one_ms }) {
  const { drafted, emitted } = round, n = drafted.length + 1, block = round.times.verify, singles = n * one_ms;
  const last = before[before.length - 1];
  const inputs = [tokenBox(last.text, ""), ...drafted.map((d) => tokenBox(d.token.text, ""))];
  const positions = [...drafted.map((d) => d.position), emitted[emitted.length - 1].position];
  const outputs = positions.map((position, i) => el("div.lrn-out", null, el("p.lrn-note", null, el("span.lrn-after", null, T.p_after, " "), chip(i ? drafted[i - 1].token : { text: last.text, id: "" })), position ? pRows(position) : null));
  const pass = el("div.lrn-pass", null, filled(T.pass, { target: target.name }));
  const one = el("span.lrn-part", { "data-series": "target" }), many = Array.from({ length: n }, () => el("span.lrn-part", { "data-series": "target" }));
  const track = (word, parts, ms) => el("div.lrn-time", null, el("span", null, word), el("span.lrn-time-track", null, parts), el("span.lrn-value", null, filled(T.blocks_ms, { ms: milliseconds(ms) })));
  const tracks = el("div.lrn-times", null, track(filled(T.track_one, { n }), [one], block), track(filled(T.track_many, { n }), many, singles));
  const grid = el("div.lrn-block", null, inputs.map((box) => el("div", null, box)), pass, outputs);
  grid.style.setProperty("--n", n);
  const say = { block: milliseconds(block), singles: milliseconds(singles), one: milliseconds(one_ms), n, K: n - 1 };
  const most = Math.max(block, singles);
  return {
    node: el("div.lrn-verify", null, grid, tracks),
    beats: [{ at: 0, say: [T.verify_feed, say] }, { at: PASS_AT, say: [T.verify_pass, say] }, { at: OUT_AT, say: [T.verify_out, say] }, { at: TIMES_AT, say: [T.verify_times, say] }],
    tail: TIMES_MS + 400,
    paint(t) {
      inputs.forEach((box, i) => setRole(box, t < (i * FEED_MS) / (n + 1) ? "" : i ? "drafted" : "plain"));
      pass.toggleAttribute("data-on", t >= PASS_AT && t < OUT_AT);
      outputs.forEach((box) => box.toggleAttribute("data-on", t >= OUT_AT));
      const now = most * Math.max(0, Math.min(1, (t - TIMES_AT) / TIMES_MS)); // both on one clock, as measured
      one.style.width = share(Math.min(now, block), most);
      many.forEach((part, i) => (part.style.width = share(Math.max(0, Math.min(now - i * one_ms, one_ms)), most)));
    },
  };
}

function pRows(position) {
  const entries = [...position.entries].sort((a, b) => b.p - a.p).slice(0, 3);
  return entries.map((e) => el("div.lrn-mini", null, el("span.lrn-track", null, span("p", e.p, 1)), chip(e.token), el("span.lrn-value", null, probability(e.p))));
}
