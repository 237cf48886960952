// Chapter 8: the speedup for every α and K, at a c and a v that can be moved, with this pair's own point.

const ALPHAS = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1], KS = [1, 2, 3, 4, 5, 6, 7, 8, 10, 12];
const SWEEP = [0.01, 0.02, 0.05, 0.1, 0.2, 0.4, 0.8];

const tokensOf = (alpha, K) => (alpha >= 1 ? K + 1 : (1 - alpha ** (K + 1)) / (1 - alpha));
// v is measured at one block length: 1 at one token, and a line through what was measured.
const checkCost = (v, K, at) => 1 + ((v - 1) * K) / Math.max(1, at);
const speedupOf = (alpha, K, c, v, at) => tokensOf(alpha, K) / (K * c + checkCost(v, K, at));
const bestOf = (alpha, c, v, at) => KS.reduce((a, b) => (speedupOf(alpha, b, c, v, at) > speedupOf(alpha, a, c, v, at) ? b : a));

function speed(pair) {
  const own = { c: pair.c || 0, v: Math.max(1, pair.v || 1) }, now = { ...own }, at = pair.K;
  const cells = KS.map((K) => ALPHAS.map((alpha) => el("td", null, el("span"))));
  const head = el("tr", null, el("th", { scope: "col" }, T.map_K), ALPHAS.map((alpha) => el("th", { scope: "col" }, number(alpha, 1).replace(/^0/, ""))));
  const table = el("table.lrn-map", null, el("caption.lrn-unseen", null, T.map), el("thead", null, head),
    el("tbody", null, [...KS].reverse().map((K) => el("tr", null, el("th", { scope: "row" }, String(K)), cells[KS.indexOf(K)]))));
  const sliders = { c: mapSlider("c", T.map_c, 0, 1, 0.005), v: mapSlider("v", filled(T.map_v, { K: at }), 1, 3, 0.01) };
  const back = el("button.lrn-button", { type: "button" }, T.map_reset);
  const here = el("p.lrn-here");
  const mark = spot(pair);
  const change = (to) => {
    Object.assign(now, to);
    drawMap(cells, now, pair, sliders, here);
    mark.toggleAttribute("data-elsewhere", now.c !== own.c || now.v !== own.v); // the numbers under it are of another pair then
  };
  Object.entries(sliders).forEach(([name, { input }]) => input.addEventListener("input", () => { const value = Number(input.value); stage.clock.pause(); change({ [name]: value }); }));
  back.addEventListener("click", () => { stage.clock.pause(); change(own); });
  const beats = evenly([...SWEEP, own.c].map((c, i) => {
    const K = bestOf(pair.alpha, c, own.v, at), speedup = speedupOf(pair.alpha, K, c, own.v, at);
    const say = { c: number(c, c < 0.1 ? 2 : 1), alpha: number(pair.alpha, 2), K, speedup: number(speedup, 2), v: number(own.v, 2) };
    return i === SWEEP.length ? [T.speed_here, { ...say, c: number(c, 2) }] : [speedup > 1 ? T.speed_step : T.speed_none, say];
  }), 1500);
  let shown = -1;
  return {
    node: el("div.lrn-speed", null, el("p.lrn-formula", null, T.map_formula), el("div.lrn-map-box", null, el("div.lrn-map-frame", null, table, mark), el("p.lrn-note.lrn-centre", null, T.map_alpha)), here,
      el("div.lrn-sliders", null, sliders.c.node, sliders.v.node, back), el("p.lrn-note", null, [T.map_slower, T.map_best, T.map_v_note].join(" · "))),
    beats, tail: 1500,
    paint(t, i) {
      if (i === shown) return;
      shown = i;
      change({ c: i < SWEEP.length ? SWEEP[i] : own.c, v: own.v });
    },
  };
}

const mapLevel = (speedup) => (speedup < 0.995 ? "slower" : String(Math.max(0, Math.min(6, Math.floor((speedup - 1) * 2))))); // 0.995 is written 1.00

function mapSlider(name, word, min, max, step) {
  const input = el("input", { type: "range", min, max, step, "aria-label": word }), out = el("output");
  return { input, out, node: el("label.lrn-slider", null, el("span", null, word), input, out) };
}

function drawMap(cells, { c, v }, pair, sliders, here) {
  const at = pair.K;
  Object.entries({ c, v }).forEach(([name, value]) => { sliders[name].input.value = value; setText(sliders[name].out, number(value, 2)); });
  ALPHAS.forEach((alpha, j) => {
    const best = bestOf(alpha, c, v, at);
    KS.forEach((K, i) => {
      const speedup = speedupOf(alpha, K, c, v, at), cell = cells[i][j];
      cell.dataset.level = mapLevel(speedup);
      cell.toggleAttribute("data-best", K === best && speedup > 1);
      setText(cell.firstChild, number(speedup, speedup < 10 ? 2 : 1));
    });
  });
  const predicted = speedupOf(pair.alpha, at, pair.c || 0, pair.v || 1, at);
  here.replaceChildren(...fill(T.map_here, { T: pair.temperature, alpha: number(pair.alpha, 2), K: at, c: number(pair.c, 2), v: number(pair.v, 2), predicted: number(predicted, 2), measured: number(pair.speedup, 2) }));
}

// The pair's own point, between the cells: columns and rows are of one width and one height, the first of each is the head.
function spot({ alpha, K }) {
  const along = (list, value) => {
    const above = list.findIndex((entry) => entry >= value);
    if (above < 1) return above < 0 ? list.length - 1 : 0;
    return above - (list[above] - value) / (list[above] - list[above - 1]);
  };
  const node = el("span.lrn-spot", { "aria-hidden": "true" }, "◇");
  node.style.left = share(1.5 + along(ALPHAS, alpha), ALPHAS.length + 1);
  node.style.top = share(1.5 + KS.length - 1 - along(KS, K), KS.length + 1);
  return node;
}
