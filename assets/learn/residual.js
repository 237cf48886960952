// Chapter 6: two parts that add up to p, and a simulation that draws from them.

const DRAWS = 200, DRAW_MS = 2500, SEED = 1;

function residual(laws) {
  const first = laws.length >> 1;
  let law = laws[first], counts = null, at = 0;
  const rows = el("div.lrn-rows"), told = el("p.lrn-note", { "aria-live": "polite" });
  const choices = laws.map((l, i) => positionChoice(l, i === first, () => { law = l; restart(); stage.clock.seek(0); draw(at); stage.clock.play(); }));
  const button = el("button.lrn-button", { type: "button" }, T.draw);
  const node = el("div.lrn-residual", null, el("fieldset.lrn-positions", null, el("legend", null, T.position), choices),
    legendOf(["shared", T.part_shared], ["residual", T.part_residual], ["line", T.part_p], ["thin", T.part_drawn]), rows, el("div.lrn-draws", null, button, told));
  let chance, running = 0;
  function restart() {
    chance = mulberry(SEED);
    counts = null;
    cancelAnimationFrame(running);
    setText(told, filled(T.draws_none, { seed: SEED }));
    setText(button, T.draw);
  }
  function draw(i) {
    at = i;
    const top = scaleTop(law.entries.map((e) => Math.max(e.p, counts ? share01(counts, e) : 0)));
    rows.replaceChildren(...law.entries.map((e) => lawRow(e, top, at, counts)));
  }
  button.addEventListener("click", () => {
    cancelAnimationFrame(running);
    stage.clock.pause();
    stage.clock.seek(stage.clock.duration);
    counts = counts || { n: 0, accepted: 0, kept: new Map(), filled: new Map() };
    const until = counts.n + DRAWS, began = performance.now(), from = counts.n;
    (function go(now) {
      const wanted = still.matches ? until : Math.min(until, from + Math.ceil((DRAWS * (now - began)) / DRAW_MS));
      while (counts.n < wanted) drawOnce(law, chance, counts);
      draw(3);
      if (counts.n < until) { running = requestAnimationFrame(go); return; }
      const gap = Math.max(...law.entries.map((e) => Math.abs(share01(counts, e) - e.p)));
      setText(told, filled(T.draws, { seed: SEED, n: counts.n, accepted: counts.accepted, rejected: counts.n - counts.accepted, gap: probability(gap) }));
      setText(button, T.draw_more);
    })(began);
  });
  restart();
  const say = () => ({ beta: probability(law.beta), left: probability(1 - law.beta) });
  return { node, beats: [T.residual_1, T.residual_2, T.residual_3, T.residual_4].map((sentence, i) => ({ at: i * 2000, get say() { return [sentence, say()]; } })), tail: 2000, paint(t, i) { if (i !== at || !rows.children.length) draw(i); } };
}

function positionChoice(law, first, chosen) {
  const input = el("input", { type: "radio", name: "lrn-position" });
  input.checked = first;
  input.addEventListener("change", chosen);
  return el("label", null, input, el("span", null, filled(T.position_n, { beta: probability(law.beta) })));
}

const share01 = (counts, e) => ((counts.kept.get(e) || 0) + (counts.filled.get(e) || 0)) / Math.max(1, counts.n);

// The parts grow in turn, up to the line where p ends; above them, thinner, what was drawn so far.
function lawRow(e, top, at, counts) {
  const line = el("span.lrn-p-line");
  line.style.left = share(e.p, top);
  const parts = [at >= 1 ? span("shared", e.shared, top) : null, at >= 2 ? span("residual", e.excess, top, e.shared) : null, line];
  if (counts) {
    const kept = (counts.kept.get(e) || 0) / counts.n, from = (counts.filled.get(e) || 0) / counts.n;
    parts.push(span("drawn-kept", kept, top), span("drawn-residual", from, top, kept));
  }
  const value = counts ? filled(T.draws_value, { p: probability(e.p), drawn: number(share01(counts, e), 3) }) : at >= 2 ? `${probability(e.shared)} + ${probability(e.excess)} = ${probability(e.p)}` : at === 1 ? probability(e.shared) : probability(e.p);
  return row(named(e.token), parts, value);
}

// One token by the algorithm: x from q, the coin, on a rejection the residual. "All others" are one outcome whose chance to stay is
// what β leaves for them.
function drawOnce(law, chance, counts) {
  const x = pickFrom(law.entries, "q", chance());
  counts.n += 1;
  if (chance() * x.q < x.shared) {
    counts.accepted += 1;
    counts.kept.set(x, (counts.kept.get(x) || 0) + 1);
  } else {
    const y = pickFrom(law.entries, "excess", chance());
    counts.filled.set(y, (counts.filled.get(y) || 0) + 1);
  }
}

function pickFrom(entries, key, u) {
  let left = u * entries.reduce((sum, e) => sum + e[key], 0);
  return entries.find((e) => (left -= e[key]) < 0) || entries.filter((e) => e[key] > 0).pop();
}

// A small seeded generator (mulberry32): the same draws at each visit.
function mulberry(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let x = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    x = (x + Math.imul(x ^ (x >>> 7), 61 | x)) ^ x;
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
}
