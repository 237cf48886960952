// Chapter 5: each tested token of a recorded round: p, q and their overlap, then the coin. And a u of one's own.

function accept({ before, round }) {
  const drafted = round.drafted, tested = drafted.filter((d) => d.verdict !== "unexamined");
  const after = round.emitted[round.emitted.length - 1];
  const boxes = drafted.map((d) => tokenBox(d.token.text, "drafted")), last = tokenBox(after.token.text, "");
  const rows = el("div.lrn-rows"), coin = makeCoin(), own = ownCoin();
  const node = el("div.lrn-accept", null, flow(before.slice(-4), boxes, last), legendOf(["p", T.p], ["q", T.q], ["shared", T.shared]), rows, coin.node, own.node);
  const beats = evenly(tested.flatMap((d) => {
    const say = { x: chip(d.token), p: probability(d.p), q: probability(d.q), beta: probability(d.position.beta), u: probability(d.u), ratio: probability(d.ratio) };
    const verdict = d.verdict === "rejected" ? T.accept_gone : d.ratio >= 1 ? T.accept_sure : T.accept_kept;
    return [[T.accept_bars, say], [T.accept_coin, say], [verdict, say]];
  }), 1800);
  let shown = -1, now = tested[0];
  own.changed = (u) => coin.show(now, u === null ? now.u : u, u !== null);
  return {
    node, beats, tail: 1800,
    paint(t, i) {
      if (i === shown) return;
      shown = i;
      const at = Math.floor(i / 3), phase = i % 3;
      now = tested[at];
      boxes.forEach((box, k) => setRole(box, k < at || (k === at && phase === 2) ? drafted[k].verdict : at === tested.length - 1 && phase === 2 ? drafted[k].verdict : "drafted"));
      boxes.forEach((box, k) => box.toggleAttribute("data-now", k === at));
      setRole(last, at === tested.length - 1 && phase === 2 ? after.role : "");
      rows.replaceChildren(...pqRows(now));
      own.clear();
      coin.show(now, phase ? now.u : null);
    },
  };
}

function pqRows({ token, p, q, position }) {
  const entries = [...position.entries].sort((a, b) => Math.max(b.p, b.q) - Math.max(a.p, a.q)).slice(0, 5);
  if (!entries.some((e) => e.token.id === token.id)) entries.splice(-1, 1, { token, p, q });
  const top = scaleTop(entries.flatMap((e) => [e.p, e.q]));
  return entries.map((e) => row(chip(e.token), [span("shared", Math.min(e.p, e.q), top), span("p", e.p, top), span("q", e.q, top)],
    filled(T.pq, { p: probability(e.p), q: probability(e.q) }), e.token.id === token.id));
}

// u on [0, 1): left of p/q the token stays, right of it it goes. `own`: a u that was not in the run, so the verdict is said here.
function makeCoin() {
  const keep = el("span.lrn-keep"), reject = el("span.lrn-reject"), mark = el("span.lrn-u", null, el("b")), limit = el("span.lrn-limit"), told = el("p.lrn-note", { "aria-live": "polite" });
  const node = el("div.lrn-coin", null, el("h4", null, T.coin), el("div.lrn-coin-track", null, keep, reject, mark), el("div.lrn-coin-ends", null, el("span", null, "0"), limit, el("span", null, "1")), told);
  const show = (d, u, own) => {
    const edge = Math.min(1, d.ratio);
    keep.style.width = share(edge, 1);
    reject.style.width = share(1 - edge, 1);
    setText(keep, edge > 0.15 ? T.coin_keep : "");
    setText(reject, edge < 0.85 ? T.coin_reject : "");
    setText(limit, filled(d.ratio >= 1 ? T.coin_any : T.coin_limit, { ratio: probability(d.ratio) }));
    limit.style.left = `clamp(7em, ${share(edge, 1)}, calc(100% - 9em))`;
    mark.toggleAttribute("data-on", u !== null);
    mark.dataset.side = u > 0.5 ? "left" : "right";
    mark.style.left = share(u || 0, 1);
    setText(mark.firstChild, u === null ? "" : `u = ${probability(u)}`);
    told.replaceChildren(...(own ? fill(u * d.q < d.p ? T.accept_own_kept : T.accept_own_gone, { u: probability(u), x: chip(d.token) }) : []));
  };
  return { node, show };
}

function ownCoin() {
  const input = el("input", { type: "range", min: 0, max: 0.999, step: 0.001, value: 0.5, "aria-label": T.coin_own });
  const back = el("button.lrn-button", { type: "button" }, T.coin_back);
  const own = { node: el("div.lrn-own", null, el("label", null, el("span", null, T.coin_own), input), back), changed: () => {} };
  own.clear = () => { back.disabled = true; };
  input.addEventListener("input", () => { back.disabled = false; stage.clock.pause(); own.changed(Number(input.value)); });
  back.addEventListener("click", () => { own.clear(); own.changed(null); });
  own.clear();
  return own;
}
