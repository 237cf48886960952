// The numbers of the run: two columns, the three acceptances, where the time went.

const TABLE = [
  ["n_tokens", "tokens", 0], ["n_rate", "tokens_per_second", 1], ["n_rate_all", "tokens_per_second_end_to_end", 1], ["n_decode", "decode_ms", 1],
  ["n_prefill", "prefill_ms", 1], ["n_forwards", "target_forwards", 0], ["n_draft_forwards", "draft_forwards", 0], ["n_per_forward", "tokens_per_forward", 2],
  ["n_per_round", "tokens_per_round", 2], ["n_drafted", "drafted_per_round", 2],
];
const OF_DRAFTING = ["draft_forwards", "drafted_per_round"]; // left out where every lane has none

function drawNumbers(box, picture) {
  const lanes = ["vanilla", "speculative"].map((name) => picture.lanes[name] && picture.lanes[name].numbers);
  const cell = (numbers, key, digits) => el("td", null, numbers ? number(numbers[key], digits) : WORDS.none);
  const head = el("tr", null, el("td"), el("th", { scope: "col" }, WORDS.vanilla), el("th", { scope: "col" }, WORDS.speculative));
  const there = ([, key]) => !OF_DRAFTING.includes(key) || lanes.some((numbers) => numbers && numbers[key]);
  const rows = TABLE.filter(there).map(([word, key, digits]) => el("tr", null, el("th", { scope: "row" }, WORDS[word]), lanes.map((n) => cell(n, key, digits))));
  box.replaceChildren(el("h3", null, WORDS.numbers), el("p.sv-settings-line.sv-note", null, settingsLine(picture.header)), el("table.sv-table", null, el("thead", null, head), el("tbody", null, rows)));
  if (lanes[1] && lanes[1].drafted) box.append(acceptance(lanes[1], picture.header.config));
  box.append(timeSplit(lanes), el("div.sv-note", null, runFacts(picture, lanes)));
}

// Everything that was asked for: with the models and the machine below, enough to run it again.
function settingsLine({ draft, config, created }) {
  const parts = [config.K && draft ? "draft" : null, "K", "temperature", config.greedy ? null : "top_p", config.top_k && !config.greedy ? "top_k" : null, "seed", "length",
    config.verifier === "match" ? "match" : null, config.confidence ? "confidence" : null, config.adaptive ? "adaptive" : null,
    config.ignore_eos ? "ignore_eos" : null, config.stop.length ? "stop" : null, "created"];
  const values = { ...config, draft: draft && draft.name, stop: config.stop.map((text) => JSON.stringify(text)).join(", "), created };
  return parts.filter(Boolean).map((part) => plain("set_" + part, values)).join(" · ");
}

function acceptance(numbers, { greedy, verifier }) {
  const of = (whole) => plain("a_of", { part: numbers.accepted, whole });
  const line = (word, value, note) => el("div.sv-acceptance", null, el("dt", null, WORDS[word]), el("dd", null, el("strong", null, value), " ", el("span.sv-note", null, note)));
  return el("section.sv-panel", null, el("h4", null, WORDS.acceptance), el("dl", null,
    line("a_drafted", percent(numbers.accepted_of_drafted), of(numbers.drafted)),
    line("a_tested", percent(numbers.accepted_of_tested), of(numbers.tested)),
    line("a_alpha", percent(numbers.alpha), plain("a_positions", { n: numbers.alpha_positions }))), verifier === "match" && !greedy ? el("p.sv-note", null, WORDS.a_match) : null);
}

// One bar a lane, on one scale, so that their lengths compare as their times do.
function timeSplit(lanes) {
  const most = Math.max(1e-9, ...lanes.map((n) => (n ? n.decode_ms : 0)));
  const parts = ["draft", "verify", "decide", "rest"];
  const rows = lanes.map((numbers, i) => numbers && el("div.sv-split", null, el("span.sv-note", null, WORDS[i ? "speculative" : "vanilla"]),
    el("span.sv-split-track", null, parts.map((part) => {
      const node = el("span", { "data-part": part, title: `${WORDS["s_" + part]}: ${plain("ms", { ms: milliseconds(numbers.split[part]) })}` });
      node.style.width = share(numbers.split[part], most);
      return node;
    }))));
  const key = (part) => el("tr", null, el("th", { scope: "row" }, el("span.sv-dot", { "data-part": part }), WORDS["s_" + part]),
    lanes.map((n) => el("td", null, n ? plain("ms", { ms: milliseconds(n.split[part]) }) : WORDS.none)));
  return el("section.sv-panel", null, el("h4", null, WORDS.split), rows, el("table.sv-table", null, el("tbody", null, parts.map(key))));
}

function runFacts(picture, lanes) {
  const { target, draft, machine } = picture.header, millions = (model) => number(model.parameters / 1e6, 1);
  const own = { target: target.name, target_m: millions(target), dtype: target.dtype };
  const models = draft
    ? say("models_" + draft.kind, { ...own, draft: draft.name, draft_m: millions(draft), entries: number(draft.parameters, 0) })
    : say("models_alone", own);
  const observed = lanes.reduce((sum, n) => sum + (n ? n.observe_ms : 0), 0);
  return [el("p", null, models), el("p", null, say(machine.threads === 1 ? "machine_one" : "machine", machine)), el("p", null, say("observed", { ms: milliseconds(observed) }))];
}
