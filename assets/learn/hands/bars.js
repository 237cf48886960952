// Bars for distributions. Lengths are shares of the row, so they follow any width; an axis stands below them.

const share = (value, top) => Math.max(0, Math.min(100, (100 * value) / top)) + "%";

// The end of the scale: the smallest round number that the longest bar fits in.
function scaleTop(values) {
  const most = Math.max(0, ...values);
  return [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1].find((top) => most <= top * 1.0001) || 1;
}

function bar(kind, value, top) {
  const node = el("span.sv-fill", { "data-series": kind });
  node.style.width = share(value, top);
  return node;
}

// p over q, one row a token, with what they share drawn behind both. `subject`, the token in question with its p and q if they
// are known apart, gets a row even where it is not among the largest.
function positionBars(position, subject) {
  const both = position.beta !== null, marked = subject.token.id;
  const entries = [...position.entries].sort((a, b) => Math.max(b.p, b.q || 0) - Math.max(a.p, a.q || 0)).slice(0, 8);
  const known = position.entries.find((e) => e.token.id === marked);
  const own = known || (subject.p === undefined ? null : subject);
  if (own && !entries.includes(own)) entries.push(own);
  const sums = known || !own ? position : { p_rest: position.p_rest - own.p, q_rest: position.q_rest - own.q };
  const hidden = position.entries.filter((e) => !entries.includes(e));
  const rest = { token: null, p: Math.max(0, sums.p_rest + total(hidden, "p")), q: both ? Math.max(0, sums.q_rest + total(hidden, "q")) : null };
  const top = scaleTop(entries.flatMap((e) => [e.p, e.q || 0]));
  const rows = entries.map((e) => barRow(e, top, both, e.token.id === marked));
  rows.push(axis(top));
  if (rest.p > 5e-4 || (rest.q || 0) > 5e-4) rows.push(restRow(rest.p, both ? rest.q : null));
  return el("div.sv-bars", { "data-both": both ? "" : null }, barLegend(both), rows);
}

const axis = (top) => el("div.sv-bar-row.sv-axis", { "aria-hidden": "true" }, el("span"),
  el("span.sv-ticks", null, [0, top / 2, top].map((tick) => el("span", null, String(Number(tick.toFixed(2)))))));

const total = (entries, key) => entries.reduce((sum, entry) => sum + (entry[key] || 0), 0);

function barLegend(both) {
  const key = (series, word) => el("span.sv-key", { "data-series": series }, WORDS[word]);
  return el("div.sv-bar-row.sv-bar-head", null, el("span"), el("span", null, key("p", "p"), both ? key("q", "q") : null, both ? key("shared", "shared") : null),
    el("span.sv-value", null, "p"), both ? el("span.sv-value", null, "q") : null);
}

function barRow(entry, top, both, marked) {
  const track = el("span.sv-track", null, both ? bar("shared", Math.min(entry.p, entry.q), top) : null, bar("p", entry.p, top), both ? bar("q", entry.q, top) : null);
  return el("div.sv-bar-row", { "data-marked": marked ? "" : null }, el("span.sv-row-token", null, chip(entry.token)), track,
    el("span.sv-value", null, probability(entry.p)), both ? el("span.sv-value", null, probability(entry.q)) : null);
}

// All other tokens: numbers without a bar, since a sum over hundreds would dwarf every single token and is not one of them.
function restRow(p, q) {
  return el("div.sv-bar-row", null, el("span.sv-row-token.sv-note", null, WORDS.rest), el("span"), el("span.sv-value", null, probability(p)),
    q === null ? null : el("span.sv-value", null, probability(q)));
}

// u on [0, 1) with the threshold min(1, p/q): left of it the token stays, right of it it goes.
function uScale(drafted) {
  const sure = drafted.ratio >= 1, limit = Math.min(1, drafted.ratio === null ? 1 : drafted.ratio);
  const keep = el("span.sv-u-keep", null, WORDS.u_keep), reject = el("span.sv-u-reject", null, WORDS.u_reject);
  keep.style.width = share(limit, 1);
  reject.style.width = share(1 - limit, 1);
  const u = plain("u_mark", { u: probability(drafted.u) });
  const mark = el("span.sv-u-mark", { "data-side": drafted.u > 0.6 ? "left" : "right" }, el("span", null, u));
  mark.style.left = share(drafted.u, 1);
  const line = plain(sure ? "u_any" : "u_line", { ratio: probability(drafted.ratio) });
  const threshold = el("span.sv-u-limit", { "data-sure": sure ? "" : null }, line);
  if (!sure) threshold.style.left = `clamp(5.5rem, ${share(limit, 1)}, calc(100% - 5.5rem))`;
  const root = el("div.sv-u", { role: "img", "aria-label": `${u}; ${line}` }, el("div.sv-u-marks", null, mark), el("div.sv-u-track", null, keep, reject),
    el("div.sv-u-ends", null, el("span", null, "0"), threshold, el("span", null, "1")));
  placeWords(root, limit, [drafted.u]);
  return root;
}

// "keep" and "reject" stand where no mark on the scale (`marks`, from 0 to 1) crosses them.
function placeWords(root, limit, marks) {
  root.querySelector(".sv-u-keep").dataset.side = side(0, limit, marks, "left");
  root.querySelector(".sv-u-reject").dataset.side = side(limit, 1, marks, "right");
}

// The end of the band [from, to] at which its word has room beside the marks: its own end, else the other, else "none".
function side(from, to, marks, own) {
  const word = 0.15, inside = marks.filter((mark) => mark > from - 0.03 && mark < to + 0.03);
  const room = { left: Math.min(to, ...inside) - from, right: to - Math.max(from, ...inside) };
  const other = own === "left" ? "right" : "left";
  return room[own] >= word ? own : room[other] >= word ? other : "none";
}

// The residual, and the row where the replacement was drawn.
function residualBars(residual, drawn) {
  const entries = residual.entries.slice(0, 7), found = residual.entries.find((e) => e.token.id === drawn.id);
  if (found && !entries.includes(found)) entries.push(found);
  const rest = residual.rest + total(residual.entries.filter((e) => !entries.includes(e)), "p");
  const top = scaleTop(entries.map((e) => e.p));
  const rows = entries.map((e) => residualRow(e, top, e.token.id === drawn.id));
  rows.push(axis(top));
  if (rest > 5e-4) rows.push(restRow(rest, null));
  return el("div.sv-bars", null, rows, found ? null : el("p.sv-note", null, say("landed_elsewhere", { x: chip(drawn) })));
}

function residualRow(entry, top, landed) {
  return el("div.sv-bar-row", { "data-marked": landed ? "" : null }, el("span.sv-row-token", null, chip(entry.token)),
    el("span.sv-track", null, bar("residual", entry.p, top), landed ? el("span.sv-landed", null, ROLES.corrected.glyph + " " + WORDS.landed) : null),
    el("span.sv-value", null, probability(entry.p)));
}
