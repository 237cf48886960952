// Chapter 7: every round of a recorded run falls into the column of what it gave, from 1 token to K + 1.

const ROUND_MS = 700;

function rounds({ K, rounds: all }) {
  const given = all.map((spans) => spans.filter((s) => s.role !== "rejected" && s.role !== "unexamined").length);
  const sum = given.reduce((a, b) => a + b, 0), tallest = Math.max(...Array.from({ length: K + 1 }, (_, i) => given.filter((n) => n === i + 1).length));
  const line = el("div.lrn-boxes.lrn-round"), columns = Array.from({ length: K + 1 }, () => el("div.lrn-stack")), mean = el("div.lrn-mean", null, el("span"));
  const squares = all.map((spans, i) => {
    const square = el("span.lrn-square", { "data-role": spans[spans.length - 1].role }, ROLES[spans[spans.length - 1].role].glyph);
    columns[given[i] - 1].append(square);
    return square;
  });
  const bin = (stack, i) => el("div.lrn-bin", null, stack, el("span.lrn-bin-n", null, String(i + 1)), el("span.lrn-note", null, i === 0 ? T.rounds_worst : i === K ? T.rounds_best : " "));
  const chart = el("div.lrn-bins", { role: "img", "aria-label": filled(T.rounds_end, { rounds: all.length, tokens: sum, mean: number(sum / all.length, 2) }) }, columns.map(bin), mean);
  chart.style.setProperty("--tall", tallest);
  const beats = evenly([...given.map((n, i) => (n === 1 ? [T.rounds_now_one, { i: i + 1 }] : [T.rounds_now, { i: i + 1, n }])), [T.rounds_end, { rounds: all.length, tokens: sum, mean: number(sum / all.length, 2) }]], ROUND_MS);
  let shown = -1;
  return {
    node: el("div.lrn-bonus", null, line, chart, el("p.lrn-note.lrn-centre", null, T.rounds_axis)), beats, tail: 600,
    paint(t, i) {
      if (i === shown) return;
      shown = i;
      const at = Math.min(i, all.length - 1), fallen = given.slice(0, at + 1), average = fallen.reduce((a, b) => a + b, 0) / fallen.length;
      line.replaceChildren(...all[at].map(({ text, role }) => tokenBox(text, role)));
      squares.forEach((square, k) => { square.toggleAttribute("data-on", k <= at); square.toggleAttribute("data-now", k === at && i < all.length); });
      mean.style.left = share(average - 0.5, K + 1);
      mean.dataset.side = average > (K + 1) * 0.7 ? "left" : "right";
      setText(mean.firstChild, filled(T.rounds_mean, { mean: number(average, 2) }));
    },
  };
}
