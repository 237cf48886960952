// Chapter 3: the draft writes its block token by token, each drawn from the q that is drawn here.

function draft({ before, round }) {
  const { drafted, times } = round, K = drafted.length, ghosts = drafted.map((d) => tokenBox(d.token.text, ""));
  const rows = el("div.lrn-rows");
  const node = el("div.lrn-draft", null, flow(before, ghosts), el("h4", null, T.q_here), rows);
  const sentences = drafted.flatMap((d, i) => [[T.draft_look, { i: i + 1, K }], [T.draft_draw, { x: chip(d.token), q: probability(d.q) }]]);
  const beats = evenly([...sentences, [T.draft_done, { K, ms: milliseconds(times.draft), verify: milliseconds(times.verify) }]], 1300);
  let shown = -1;
  return {
    node, beats, tail: 1300,
    paint(t, i) {
      if (i === shown) return;
      shown = i;
      const at = Math.min(K - 1, i >> 1), landed = i % 2 === 1 || i >= 2 * K;
      ghosts.forEach((ghost, k) => setRole(ghost, k < at || (k === at && landed) ? "drafted" : ""));
      rows.replaceChildren(...qRows(drafted[at], landed));
    },
  };
}

function qRows({ token, q, position }, landed) {
  const ranked = position.entries.filter((e) => e.q > 0).sort((a, b) => b.q - a.q), entries = ranked.slice(0, 6);
  const own = ranked.find((e) => e.token.id === token.id) || { token, q };
  if (!entries.some((e) => e.token.id === token.id)) entries.splice(-1, 1, own);
  const top = scaleTop(entries.map((e) => e.q));
  return entries.map((e) => {
    const drawn = landed && e.token.id === token.id;
    return row(chip(e.token), [span("draft", e.q, top), drawn ? el("span.lrn-drawn", null, `${ROLES.drafted.glyph} ${T.drawn}`) : null], probability(e.q), drawn);
  });
}
