// Chapter 9: six ways to draft: what a draft step reads, drawn on the target's layers, what it costs, and what was published. Then
// when not to: the speedup by α and by how many texts share the machine, from passes that were measured.

const WAY_MS = 2000;

function others({ c, busy }) {
  const ways = waysTable(c), parts = [{ ...ways, word: T.ways }, ...busy.map((found) => ({ ...busyMap(found), word: busy.length > 1 ? `${T.busy}: ${found.device}` : T.busy }))];
  let beats = 0;
  parts.forEach((part) => { part.from = beats; beats += part.says.length; });
  const holds = (part, i) => i >= part.from && i < part.from + part.says.length;
  const views = parts.map((part) => {
    const button = el("button.lrn-button", { type: "button" }, part.word);
    button.addEventListener("click", () => { stage.clock.pause(); stage.clock.seek((part.from + part.says.length) * WAY_MS - 1); });
    return button;
  });
  return {
    node: el("div.lrn-others", null, parts.length > 1 ? el("div.lrn-views", { role: "group" }, views) : null, parts.map((part) => part.node)),
    beats: evenly(parts.flatMap((part) => part.says), WAY_MS), tail: WAY_MS,
    paint(t, i) {
      parts.forEach((part, k) => {
        part.node.hidden = !holds(part, i);
        views[k].setAttribute("aria-pressed", String(holds(part, i)));
        if (holds(part, i)) part.show(i - part.from);
      });
    },
  };
}

function waysTable(c) {
  const small = (value) => (value === undefined || value === null ? WORDS.none : `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`);
  const values = { lookup: small(c.lookup), bigram: small(c["poor-draft"]) };
  const rows = LESSON.ways.map((way) => el("tr", null, el("th", { scope: "row" }, way.name), el("td", null, layers(way.stack)), el("td", null, way.reads),
    el("td", null, filled(way.cost, values)), el("td", null, way.published, el("small", null, way.source))));
  const head = ["way", null, "way_reads", "way_cost", "way_published"].map((word) => (word ? el("th", { scope: "col" }, T[word]) : el("td", null, unseen(""))));
  const table = el("table.lrn-ways", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
  const sentences = LESSON.ways.map((way) => [T.way_says, { name: way.name, reads: way.reads, cost: filled(way.cost, values) }]);
  return {
    node: el("div", null, table, legendOf(["stack", T.stack_target], ["q", T.stack_draft])), says: [...sentences, [T.way_end]],
    show(i) { rows.forEach((row, k) => row.toggleAttribute("data-on", k === i)); },
  };
}

// One column a batch; the row under them says why they fade: what a check costs there.
function busyMap({ device, target, draft, context, batches, rows, spoken, block, v }) {
  const cells = rows.map(({ best }) => best.map(({ K, speedup }) => el("td", { "data-level": mapLevel(speedup) }, el("span", null, number(speedup, 2)), el("small", null, ` K\u00a0${K}`))));
  const costs = v.map((value) => el("td.lrn-cost", null, number(value, 2)));
  const line = (head, tds) => el("tr", null, el("th", { scope: "row" }, head), tds);
  const table = el("table.lrn-map.lrn-busy", null, el("caption.lrn-unseen", null, T.busy_map),
    el("thead", null, el("tr", null, el("th", { scope: "col" }, T.busy_texts), batches.map((B) => el("th", { scope: "col" }, String(B))))),
    el("tbody", null, rows.map(({ alpha }, i) => line(`α ${number(alpha, 1).replace(/^0/, "")}`, cells[i])), line(filled(T.busy_v, { n: block }), costs)));
  const alpha = number(rows[spoken].alpha, 1);
  const says = batches.map((B, j) => {
    const { K, speedup } = rows[spoken].best[j];
    return [B === 1 ? T.busy_one : speedup > 1 ? T.busy_more : T.busy_none, { B, n: block, v: number(v[j], 2), alpha, K, speedup: number(speedup, 2) }];
  });
  return {
    node: el("div.lrn-speed", null, el("div.lrn-map-frame", null, table), el("p.lrn-note", null, [T.map_slower, T.busy_small].join(" · ")),
      el("p.lrn-note", null, filled(T.busy_where, { target, draft, device, context }))),
    says: [...says, [T.busy_end]],
    show(i) { [...cells, costs].forEach((row) => row.forEach((cell, j) => cell.toggleAttribute("data-later", j > i))); },
  };
}

// The target as a stack of six layers, and where the draft comes from: lit is what a draft step runs.
function layers(kind) {
  const lit = { first: [0, 1], heads: [], feature: [], beside: [], text: [], table: [] }[kind];
  const stack = el("span.lrn-stack-target", null, Array.from({ length: 6 }, (_, i) => el("i", { "data-lit": lit.includes(i) ? "" : null })));
  const beside = { beside: ["i", "i"], table: ["b"], text: ["em"] }[kind] || [], above = { heads: 3, feature: 1 }[kind] || 0;
  const own = beside.map((tag) => el(`i.lrn-own-${tag}`, { "data-lit": "" }));
  return el("span.lrn-layers", { "data-kind": kind, "aria-hidden": "true" }, el("span.lrn-tower", null, el("span.lrn-above", null, Array.from({ length: above }, () => el("i", { "data-lit": "" }))), stack), el("span.lrn-beside", null, own));
}
