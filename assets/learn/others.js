// Chapter 9: six ways to draft: what a draft step reads, drawn on the target's layers, what it costs, and what was published.

const WAY_MS = 2000;

function others(found) {
  const small = (value) => (value === undefined || value === null ? WORDS.none : `${value < 0.01 ? "<" : "="} ${number(Math.max(value, 0.01), 2)}`);
  const values = { lookup: small(found.lookup), bigram: small(found["poor-draft"]) };
  const rows = LESSON.ways.map((way) => el("tr", null, el("th", { scope: "row" }, way.name), el("td", null, layers(way.stack)), el("td", null, way.reads),
    el("td", null, filled(way.cost, values)), el("td", null, way.published, el("small", null, way.source))));
  const head = ["way", null, "way_reads", "way_cost", "way_published"].map((word) => (word ? el("th", { scope: "col" }, T[word]) : el("td", null, unseen(""))));
  const table = el("table.lrn-ways", null, el("thead", null, el("tr", null, head)), el("tbody", null, rows));
  const sentences = LESSON.ways.map((way) => [T.way_says, { name: way.name, reads: way.reads, cost: filled(way.cost, values) }]);
  return {
    node: el("div.lrn-others", null, table, legendOf(["stack", T.stack_target], ["q", T.stack_draft])), beats: evenly([...sentences, [T.way_end]], WAY_MS), tail: WAY_MS,
    paint(t, i) { rows.forEach((row, k) => row.toggleAttribute("data-on", k === i)); },
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
