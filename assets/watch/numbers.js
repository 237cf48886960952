// The numbers of the run: why it was fast or slow, the figures that a class asks for, both lanes in two columns, where the time went.

const TABLE = [
  ["n_tokens", "tokens", 0], ["n_rate", "tokens_per_second", 1], ["n_rate_all", "tokens_per_second_end_to_end", 1], ["n_decode", "decode_ms", 1],
  ["n_prefill", "prefill_ms", 1], ["n_forwards", "target_forwards", 0], ["n_draft_forwards", "draft_forwards", 0],
  ["n_per_round", "tokens_per_round", 2], ["n_drafted", "drafted_per_round", 2],
];
const OF_DRAFTING = ["draft_forwards", "drafted_per_round"]; // left out where every lane has none

function drawNumbers(box, picture) {
  const lanes = ["vanilla", "speculative"].map((name) => picture.lanes[name] && picture.lanes[name].numbers);
  const cell = (numbers, key, digits) => el("td", null, numbers ? number(numbers[key], digits) : WORDS.none);
  const head = el("tr", null, el("td"), el("th", { scope: "col" }, WORDS.vanilla), el("th", { scope: "col" }, WORDS.speculative));
  const there = ([, key]) => !OF_DRAFTING.includes(key) || lanes.some((numbers) => numbers && numbers[key]);
  const rows = TABLE.filter(there).map(([word, key, digits]) => el("tr", null, el("th", { scope: "row" }, WORDS[word]), lanes.map((n) => cell(n, key, digits))));
  const table = el("table.sv-table", null, el("thead", null, head), el("tbody", null, rows));
  box.replaceChildren(el("h3", null, WORDS.numbers), el("p.sv-settings-line.sv-note", null, settingsLine(picture.header)), el("p.sv-why", null, whyLine(picture.account)),
    el("div.sv-number-columns", null, el("div", null, figures(picture)), el("div", null, table, timeSplit(lanes))), el("div.sv-note", null, runFacts(picture, lanes)));
}

// Everything that was asked for: with the models and the machine below, enough to run it again.
function settingsLine({ draft, config, created }) {
  const parts = [config.K && draft ? "draft" : null, "K", "temperature", config.greedy ? null : "top_p", config.top_k && !config.greedy ? "top_k" : null, "seed", "length",
    config.verifier === "match" ? "match" : null, config.confidence ? "confidence" : null, config.adaptive ? "adaptive" : null,
    config.ignore_eos ? "ignore_eos" : null, config.stop.length ? "stop" : null, "created"];
  const values = { ...config, draft: draft && draft.name, stop: config.stop.map((text) => JSON.stringify(text)).join(", "), created };
  return parts.filter(Boolean).map((part) => plain("set_" + part, values)).join(" · ");
}

// One or two sentences: what a round brought and cost, and what held the run back most. All of it measured.
function whyLine({ missing, why, c, v, block, drafted }) {
  if (missing) return say("missing_" + missing);
  const { cost } = why, two = (value) => number(value, 2);
  const values = { tokens: two(why.tokens), cost: two(cost.all), draft: two(cost.draft), verify: two(cost.verify), rest: two(cost.rest), c: two(c), v: two(v), n: block + 1,
    drafted: two(drafted), kept: two(why.kept), most: why.most, empty: why.empty, rounds: why.rounds, times: two(why.without) + "×" };
  return [...say("why_" + why.kind, values), ...(why.limit ? [" ", ...say("limit_" + why.limit, values)] : [])];
}

// A figure opens to one line on what it is: by mouse, touch and key, as any <details> does.
function figure(key, value, note, explained) {
  const summary = el("summary", null, el("span.sv-figure-name", null, WORDS[key], " ", el("span.sv-help", { "aria-hidden": "true" }, "?")),
    el("span.sv-figure-value", null, el("strong", null, value), note ? el("span.sv-note", null, " " + note) : null));
  return el("details.sv-figure", { "data-figure": key }, summary, el("p", null, explained));
}

function figures(picture) {
  const { comparison, account, lanes, header } = picture, mine = lanes.speculative && lanes.speculative.numbers;
  const times = (value) => (value === null || value === undefined ? WORDS.none : number(value, 2) + "×");
  const list = [figure("f_speedup", times(comparison && comparison.speedup), null, comparison && comparison.speedup !== null ? say("f_speedup_is") : say("no_speedup"))];
  if (mine) list.push(figure("f_per_forward", number(mine.tokens_per_forward, 2), null, say("f_per_forward_is")));
  if (mine && mine.drafted) list.push(...acceptance(mine, header.config));
  list.push(...prices(account));
  if (comparison) list.push(figure("f_texts", comparison.same ? WORDS.f_same : comparison.parts ? plain("f_parts", { at: comparison.common + 1 }) : WORDS.f_prefix, null, textsLine(comparison)));
  return el("div.sv-figures", null, list);
}

function acceptance(numbers, { greedy, verifier }) {
  const of = (whole) => plain("a_of", { part: numbers.accepted, whole });
  const match = verifier === "match" && !greedy;
  return [
    figure("a_drafted", percent(numbers.accepted_of_drafted), of(numbers.drafted), say("a_drafted_is")),
    figure("a_tested", percent(numbers.accepted_of_tested), of(numbers.tested), say("a_tested_is")),
    figure("a_alpha", percent(numbers.alpha), plain("a_positions", { n: numbers.alpha_positions }), say(match ? "a_match" : "a_alpha_is")),
  ];
}

// c, v, what they predict, and the K that they make best; where the run has none of them, it says so.
function prices(account) {
  if (account.missing) return ["f_c", "f_v", "f_predicted", "f_best"].map((key) => figure(key, WORDS.none, null, say("missing_" + account.missing)));
  const { c, v, block, tokens, drafted, predicted, of_predicted, alpha, best_K, best_speedup, why } = account, two = (value) => number(value, 2);
  const best = { K: best_K, speedup: two(best_speedup) + "×", alpha: alpha === null ? WORDS.none : two(alpha) };
  return [
    figure("f_c", number(c, c < 0.1 ? 3 : 2), null, say("f_c_is")),
    figure("f_v", two(v), plain("f_v_note", { n: block + 1 }), say("f_v_is", { n: block + 1 })),
    figure("f_predicted", two(predicted) + "×", plain("f_predicted_note", { part: number(100 * of_predicted, 0) + " %" }), say("f_predicted_is", { tokens: two(tokens), drafted: two(drafted), rest: two(why.cost.rest), cost: two(why.cost.all) })),
    figure("f_best", best_K === null ? WORDS.none : "K = " + best_K, best_K ? best.speedup : null, say(best_K === null ? "f_best_none" : best_K ? "f_best_is" : "f_best_zero", best)),
  ];
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
  return el("section.sv-panel", null, el("h4", null, WORDS.split), el("p.sv-note", null, WORDS.split_is), rows, el("table.sv-table", null, el("tbody", null, parts.map(key))));
}

function runFacts(picture, lanes) {
  const { target, draft, machine } = picture.header, millions = (model) => number(model.parameters / 1e6, 1);
  const own = { target: target.name, target_m: millions(target), dtype: target.dtype };
  const models = draft
    ? say("models_" + draft.kind, { ...own, draft: draft.name, draft_m: millions(draft), entries: number(draft.parameters, 0) })
    : say("models_alone", own);
  const sum = (part) => lanes.reduce((all, n) => all + (n ? n[part] : 0), 0), captured = sum("capture_ms");
  const slow = lanes.map((n) => n && n.eager).find(Boolean);
  return [el("p", null, models), el("p", null, say(machine.threads === 1 ? "machine_one" : "machine", machine)),
    el("p", null, say("observed", { ms: milliseconds(sum("observe_ms")) })),
    captured ? el("p.sv-captured", null, say("captured", { ms: milliseconds(captured) })) : null,
    slow ? el("p.sv-eager", null, say("eager", { why: slow })) : null];
}
