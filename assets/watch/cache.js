// The KV caches of both models in one round: the last positions as cells, what the pass appended and what was rolled back.

const CELLS = { wide: 24, narrow: 10 };

// What cell `at` of a cache is in a phase: "held", "appended", "rolled" back, "missing" (the draft never read it), "" (not there).
// A draft's cache grows while it drafts, the target's in its one pass; both roll back when the round emits.
function cellState(at, { before, peak, after }, grown, emitted, other) {
  if (at < (emitted ? Math.min(before, after) : before)) return "held";
  if (!emitted) return grown && at < peak ? "appended" : "";
  if (at < after) return "appended";
  if (at < Math.max(peak, before)) return "rolled";
  return other && at < other.after ? "missing" : "";
}

// The tokens that the target read at its positions: the text so far, then the block of this round.
function readTokens(data, round) {
  const text = [...data.prompt, ...data.rounds.slice(0, data.rounds.indexOf(round)).flatMap((r) => r.emitted.map((e) => e.token))];
  return [...text.slice(0, round.target_cache.before + 1), ...round.drafted.map((d) => d.token)];
}

// What happens to the caches in a phase of a round.
function cacheLine({ target_cache, draft_cache, drafted }, phase) {
  if (phase === "draft") return WORDS[draft_cache ? "cache_drafting" : "cache_waits"];
  if (phase !== "emit") return drafted.length ? plain("cache_pass", { n: target_cache.peak - target_cache.before }) : WORDS.cache_pass_one;
  const gone = target_cache.peak - target_cache.after;
  const lacks = draft_cache ? target_cache.after - draft_cache.after : 0;
  const parts = [gone > 0 ? plain(gone > 1 ? "cache_gone" : "cache_gone_one", { n: gone }) : plain(drafted.length ? "cache_kept" : "cache_plain")];
  if (lacks > 0) parts.push(drafted.length ? plain(lacks > 1 ? "cache_lacks" : "cache_lacks_one", { n: lacks }) : WORDS.cache_behind);
  return parts.join(" ");
}

function cacheRow(word, model) {
  const row = { word, model, cells: [], cache: null, other: null, first: 0 };
  row.more = el("span.sv-cache-more");
  row.box = el("span.sv-cells");
  row.counts = el("span.sv-cache-counts");
  row.root = el("div.sv-cache-row", { "data-model": model, role: "img" }, el("span.sv-cache-name", null, WORDS[word]), row.more, row.box, row.counts);
  return row;
}

// Which positions a row shows: the last `shown` up to `end`. Without a cache there is no row.
function lay(row, cache, other, end, shown, tokens) {
  Object.assign(row, { cache, other, first: Math.max(0, end - shown) });
  row.root.hidden = !cache;
  const count = end - row.first;
  while (row.cells.length < count) row.box.append(row.cells[row.cells.push(el("span.sv-cell")) - 1]);
  row.cells.forEach((cell, i) => {
    const at = row.first + i, name = i < count && tokens[at] ? plain("cache_cell", { at: at + 1, text: spoken(tokens[at].text) }) : "";
    if (cell.hidden !== i >= count) cell.hidden = i >= count;
    if (cell.title !== name) cell.title = name;
  });
  setText(row.more, row.first ? plain("cache_more", { n: row.first }) : "");
}

function fill({ root, word, model, cache, other, first, cells, counts }, phase) {
  const grown = model === "draft" || phase !== "draft", emitted = phase === "emit";
  cells.forEach((cell, i) => {
    const state = cell.hidden ? "" : cellState(first + i, cache, grown, emitted, other);
    if (cell.dataset.state !== state) cell.dataset.state = state;
  });
  const steps = [cache.before, ...(grown ? [cache.peak] : []), ...(emitted ? [cache.after] : [])];
  setText(counts, steps.join(" → "));
  root.setAttribute("aria-label", plain("cache_row", { model: WORDS[word], steps: steps.join(", ") }));
}

// `move(standing)` follows the replay; `whole(round)` shows a round as it ended.
function makeCache(data) {
  const strip = { root: el("section.sv-cache"), at: "" };
  const heading = el("h4"), line = el("p.sv-note");
  const key = ["held", "appended", "rolled", "missing"].map((state) => el("li", null, el("span.sv-cell", { "data-state": state, "aria-hidden": "true" }), WORDS["cache_" + state]));
  const rows = [cacheRow("cache_target", "target"), cacheRow("cache_draft", "draft")]; // made once: a replay fills them many times a second
  strip.root.append(el("header", null, heading, el("ul", null, key)), el("div.sv-cache-rows", null, rows.map(({ root }) => root)), line);
  let drawn = null;

  function draw(round) {
    drawn = round;
    const { target_cache, draft_cache } = round;
    const end = Math.max(target_cache.peak, target_cache.after, draft_cache ? Math.max(draft_cache.peak, draft_cache.after) : 0);
    const shown = strip.root.clientWidth < 560 ? CELLS.narrow : CELLS.wide;
    lay(rows[0], target_cache, null, end, shown, readTokens(data, round));
    lay(rows[1], draft_cache, target_cache, end, shown, []);
    setText(heading, plain("cache_title", { round: round.index + 1 }));
  }

  function show(round, phase) {
    const at = round.index + phase;
    if (strip.at === at) return;
    strip.at = at;
    if (drawn !== round) draw(round);
    rows.forEach((row) => row.cache && fill(row, phase));
    setText(line, cacheLine(round, phase));
  }
  strip.move = ({ round, phase }) => show(round, phase);
  strip.whole = (round) => show(round, "emit");
  return strip;
}
