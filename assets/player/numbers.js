// The numbers of the run: what it came to, in one large number, how sure its times are, and what is to be known before any
// of it is believed; why it was fast or slow, the figures that a class asks for, acceptance by position, both lanes in two
// columns, where the time went.

import { LANES } from "../trace/events.js";
import { hasRounds } from "./clock.js";
import { bar, button, chip, el, keys, line, positionTable, row, table } from "./dom.js";
import { currentRun, explainWord } from "./page.js";
import { milliseconds, minute, number, percent, phrase, plain, rounded, times, WORDS, wordOf } from "./words.js";

/** @import { Account, Child, Comparison, Config, Header, Lane, Model, Numbers } from "../shared/types.js" */
/** @import { Part, Picture, TreeAccount } from "../shared/types.js" */

const BYTE_SHARE = 1 / 3; // of the prompt's tokens

/** The speedup; without times a count. @param {Picture} picture */
export function headline({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  const hasSpeedup = comparison && vanilla && speculative && comparison.speedup !== null;
  const result = hasSpeedup
    ? speedupVerdict(comparison, speculative.numbers)
    : el("p.sv-verdict.sv-flow", null, WORDS.no_speedup);
  return el("div.sv-headline", null, result, notExact(header.config));
}

/** What stands behind it, over the numbers. @param {Picture} picture */
function factsOf({ comparison, lanes, header }) {
  const { vanilla, speculative } = lanes;
  if (!comparison || !vanilla || !speculative || comparison.speedup === null) return null;
  const rates = {
    vanilla: number(vanilla.numbers.tokens_per_second, 1),
    speculative: number(speculative.numbers.tokens_per_second, 1),
    end_to_end: times(comparison.speedup_end_to_end),
    n: Math.min(vanilla.numbers.tokens, speculative.numbers.tokens),
  };
  const { numbers } = speculative;
  const undrafted = header.config.K && numbers.undrafted;
  const busy = comparison.disturbed.length > 0;
  const { target_forwards: own, tokens } = numbers;
  const passes = { vanilla: vanilla.numbers.target_forwards, speculative: own, tokens };
  const full = [speculative, vanilla].find(({ stopped }) => stopped?.reason === "context"); // before the length asked for
  const { max_new_tokens } = header.config;
  return el("div.sv-facts", null, [
    busy
      ? [disturbance(comparison), comparison.clock ? timingDetails(comparison) : null]
      : el("div.sv-decoding", null, el("p", null, phrase("decoding_only", rates)), timingDetails(comparison)),
    el("p", null, phrase(tokens === vanilla.numbers.tokens && own !== passes.vanilla ? "passes" : "passes_partial", passes)),
    el("p.sv-texts", null, textsLine(comparison, header.config)),
    header.config.grammar ? el("p.sv-grammar", null, grammarLine(speculative)) : null,
    undrafted ? el("p.sv-undrafted", null, undraftedLine(numbers)) : null,
    numbers.draft_full ? el("p.sv-draft-full", null, draftFullLine(numbers, header)) : null,
    full ? el("p.sv-full", null, phrase("context_full", { tokens: full.numbers.tokens, asked: max_new_tokens })) : null,
    comparison.whole ? null : el("p", null, WORDS.partial),
  ]);
}

/** The speedup and how far it may be off; of times that are not to be trusted none is said large, but a count.
 * @param {Comparison} comparison @param {Numbers} numbers */
function speedupVerdict({ kind, clock, speedup, low, high }, { tokens_per_forward }) {
  const busy = kind === "disturbed";
  const value = busy ? number(tokens_per_forward, 2) : times(speedup);
  const between = phrase("between", { low: number(low, 2), high: number(high, 2) });
  const label = el(
    "span",
    null,
    wordOf(`kind_${kind}`),
    " ",
    busy ? null : el("span.sv-unbroken", null, "(", between, ")"),
    clock === "processor" ? `, ${WORDS.by_processor}` : null,
  );
  return el("p.sv-verdict.sv-flow", { "data-kind": kind }, el("strong", null, value), " ", label);
}

/** What the grammar made void, and what it forced. @param {Lane} lane */
function grammarLine({ rounds, numbers: { drafted, tokens } }) {
  const count = (/** @type {boolean[]} */ some) => some.filter(Boolean).length;
  const forbidden = count(rounds.flatMap((round) => round.drafted.map((one) => one.void === true)));
  const forced = count(rounds.flatMap((round) => round.emitted.map((one) => one.forced === true)));
  return phrase("masked", { void: forbidden, drafted, forced, tokens });
}

/** @param {Numbers} numbers */
function undraftedLine({ drafted, undrafted, rounds }) {
  return drafted ? phrase("undrafted", { part: undrafted, whole: rounds }) : phrase("undrafted_all");
}

/** @param {Numbers} numbers @param {Header} header */
function draftFullLine({ draft_full, rounds }, { draft }) {
  return phrase("draft_full", { part: draft_full, whole: rounds, context: draft?.context });
}

/** Whether both lanes wrote the same, and where not, why. @param {Comparison} comparison @param {Config} config */
function textsLine({ same, parts, parted, common, logits, greedy }, config) {
  if (same) return phrase("same", { count: common });
  if (!parts || !parted) return phrase("prefix", { count: common });
  const [x, y] = parted.map(chip);
  const where = { at: common + 1, x, y };
  const sampled = config.exact ? "sampled_differs" : "sampled_inexact";
  if (!logits) return phrase(greedy ? "greedy_differs" : sampled, where);
  const logitTexts = Object.fromEntries(Object.entries(logits).map(([key, value]) => [key, number(value, 4)]));
  return phrase("greedy_logits", { ...where, ...logitTexts });
}

/** What the speedup and its interval are, behind a question. @param {Comparison} comparison */
function timingDetails({ runs, often, low, high, clock }) {
  const values = { runs, low: number(low, 2), high: number(high, 2) };
  const once = clock === "processor" ? "timed_processor" : "timed_once";
  const intervalNodes = phrase(runs === 1 ? once : often ? "timed_often" : "timed_few", values);
  return el(
    "details.sv-timed",
    null,
    el("summary", null, WORDS.timed),
    el("p", null, WORDS.timed_is, " ", intervalNodes, " ", WORDS.luck),
  );
}

/** That times are withheld, or by which clock they are, and why, and a way to time the run again where there is one.
 * @param {Comparison} comparison */
function disturbance({ disturbed, clock }) {
  const signs = disturbed.flatMap((sign) => [" ", sentence(sign)]);
  const run = /** @type {HTMLElement | null} */ (document.querySelector("#run"));
  const again = run && button(WORDS.run_again, () => run.click(), { class: "sv-run-again" });
  return el(
    "div.sv-busy",
    { role: "note" },
    el("p", null, el("strong", null, WORDS[clock === "processor" ? "by_processor_is" : "disturbed"]), " ", again),
    el("p", null, signs),
  );
}

/** @param {Comparison["disturbed"][number]} sign */
function sentence({ kind, lane, value }) {
  const values = { lane: lane && WORDS[`lane_${lane}`], percent: percent(value), value: number(value, 2) };
  return plain(`sign_${kind}`, { ...values, times: times(value) });
}

/** That the rule of a run is not exact, wherever its result is told. @param {Config} config */
export function notExact({ exact, verifier }) {
  return exact ? null : el("p.sv-not-exact.sv-bad.sv-strong", null, phrase("not_exact", { rule: wordOf(`rule_${verifier}`) }));
}

/** Tokens of a prompt that the model has no words for, and reads byte by byte: what it writes then says little.
 * @param {Pick<Picture, "lanes">} picture */
export function bytesOf({ lanes }) {
  const prompt = ((lanes.speculative ?? lanes.vanilla)?.prompt ?? []).filter(({ kind }) => kind !== "special");
  const bytes = prompt.filter(({ kind }) => kind === "bytes").length;
  return bytes > BYTE_SHARE * prompt.length ? { bytes, of: prompt.length } : null;
}

/** Everything that was asked for: with the models and the machine, enough to run it again. @param {Header} header */
function settingsLine({ draft, config, created }) {
  const { K, greedy, drafting, verifier, confidence, survival, adaptive, ignore_eos, stop, top_k, tree, grammar } = config;
  const parts = [
    K && draft ? "draft" : "",
    "K",
    "temperature",
    greedy ? "" : "top_p",
    top_k && !greedy ? "top_k" : "",
    "seed",
    "length",
    drafting === "argmax" ? "argmax" : "",
    tree && tree !== "off" && K ? `tree_${tree}` : "",
    verifier === "rejection" || (greedy && verifier !== "match") ? "" : verifier,
    confidence ? "confidence" : "",
    adaptive ? "adaptive" : "",
    survival ? "survival" : "",
    ignore_eos ? "ignore_eos" : "",
    stop.length ? "stop" : "",
    grammar ? "grammar" : "",
    "created",
  ];
  const stops = stop.map((text) => JSON.stringify(text)).join(", ");
  const values = { ...config, draft: draft?.name, stop: stops, created: minute(created) };
  return parts
    .filter(Boolean)
    .map((part) => plain(`set_${part}`, values))
    .join(" · ");
}

/** One or two sentences: what a round brought and cost, and what held the run back most. All of it measured.
 * @param {Account} account @param {string} engine */
function whyLine(account, engine) {
  if (account.missing !== null) return phrase(`missing_${account.missing}`, { engine });
  const { why, c, v, block, drafted, steps } = account;
  const { cost, kind, limit, most, empty, rounds } = why;
  const { draft, verify, rest, all } = cost;
  const numbers = { tokens: why.tokens, cost: all, draft, verify, rest, c, v, drafted, steps, kept: why.kept };
  const ratios = { share: percent(why.share), speedup: times(why.tokens / all) };
  const values = { ...rounded(numbers), ...ratios, n: block + 1, most, empty, rounds };
  const explainedTerms = new Set();
  return [
    ...explainWord(`why_${kind}`, values, explainedTerms),
    ...(limit ? [" ", ...explainWord(`limit_${limit}`, values, explainedTerms)] : []),
  ];
}

/** Who decoded where that was not specviz, and what it does not tell. @param {Header} header */
function otherEngine({ engine, engine_version: version, left_out, departures }) {
  const note = `engine_note_${engine}`;
  const what = left_out.map((key) => wordOf(`left_out_${key}`)).join(", ");
  return [
    el("p.sv-engine", null, phrase("engine", { engine, version }), " ", Object.hasOwn(WORDS, note) ? phrase(note) : ""),
    what ? el("p.sv-engine", null, phrase("left_out", { engine, what })) : null,
    departures.length ? el("p.sv-engine", null, phrase("departures", { what: departures.join("; ") })) : null,
  ];
}

/** @param {Header} header @param {(Numbers | null)[]} lanes */
function runFacts(header, lanes) {
  const { target, draft, machine } = header;
  const millions = (/** @type {Model} */ model) => number(model.parameters / 1e6, 1);
  const own = { target: target.name, target_m: millions(target), dtype: target.dtype };
  const models = draft
    ? phrase(`models_${draft.kind}`, {
        ...own,
        draft: draft.name,
        draft_m: millions(draft),
        entries: number(draft.parameters, 0),
      })
    : phrase("models_alone", own);
  const sum = (/** @type {"observe_ms" | "capture_ms"} */ part) =>
    lanes.reduce((all, numbers) => all + (numbers?.[part] ?? 0), 0);
  const captureMs = sum("capture_ms");
  const why = lanes.map((numbers) => numbers?.eager).find(Boolean);
  return [
    header.engine === "specviz" ? null : otherEngine(header),
    el("p", null, models, draft?.note ? ` ${plain("model_note", draft)}` : ""),
    el("p", null, machine.torch ? phrase("machine", machine) : machine.device),
    machine.note ? el("p.sv-device", null, phrase("machine_note", { note: machine.note })) : null,
    el("p", null, phrase("observed", { ms: milliseconds(sum("observe_ms")) })),
    captureMs ? el("p.sv-captured", null, phrase("captured", { ms: milliseconds(captureMs) })) : null,
    why ? el("p.sv-eager", null, phrase("eager", { why })) : null,
  ];
}

// The figures of a run: each opens to one line on what it is, by mouse, touch and key, as any <details> does.

/** How a figure came about, said beside each. @type {Record<string, "measured" | "counted" | "calculated">} */
const BASIS = {
  f_speedup: "measured",
  f_per_forward: "counted",
  a_drafted: "counted",
  a_tested: "counted",
  a_alpha: "calculated",
  f_c: "measured",
  f_v: "measured",
  f_replay: "measured",
  f_predicted: "calculated",
  f_best: "calculated",
  f_tree: "calculated",
};
const COSTS = ["f_c", "f_v", "f_predicted", "f_best"];

/** @param {Picture} picture */
function figures({ comparison, account, lanes, header }) {
  const numbers = lanes.speculative?.numbers;
  const parting = comparison?.parts ? plain("f_parts", { at: comparison.common + 1 }) : WORDS.f_prefix;
  const same = comparison?.same ? WORDS.f_same : parting;
  return el("div.sv-figures", null, [
    speedupFigure(comparison),
    numbers ? figure("f_per_forward", number(numbers.tokens_per_forward, 2)) : null,
    numbers?.drafted ? acceptanceFigures(numbers, header.config) : null,
    costFigures(account, header.engine),
    comparison ? figure("f_texts", same, "", null, textsLine(comparison, header.config)) : null,
  ]);
}

/** @param {Comparison | null} comparison */
function speedupFigure(comparison) {
  if (!comparison || comparison.speedup === null) return figure("f_speedup", WORDS.none, "", explainWord("no_speedup"));
  const { low, high, kind, clock } = comparison;
  if (kind === "disturbed") return figure("f_speedup", WORDS.none, "", explainWord("f_speedup_busy"));
  const range = plain("between", { low: number(low, 2), high: number(high, 2) });
  const here = clock === "processor" ? explainWord("by_processor_is") : null;
  return figure("f_speedup", times(comparison.speedup), range, here);
}

/** @param {string} key @param {string} value @param {string} note behind it @param {Child} here what is special here
 * @param {Child} what it is, whatever the run gave */
function figure(key, value, note = "", here = null, what = explainWord(`${key}_is`)) {
  const help = el("span.sv-help", { "aria-hidden": "true" }, "?");
  const valueNodes = [el("strong", null, value), note ? el("span.sv-note", null, ` ${note}`) : null];
  const summary = el(
    "summary",
    null,
    el("span.sv-muted", null, wordOf(key), " ", help),
    BASIS[key] ? el("span.sv-basis", null, WORDS[`basis_${BASIS[key]}`]) : null,
    el("span.sv-figure-value", null, valueNodes),
  );
  return el("details.sv-figure", { "data-figure": key }, summary, el("p", null, what, " ", here));
}

/** @param {Numbers} numbers @param {Config} config */
function acceptanceFigures(numbers, { greedy, verifier }) {
  const { accepted: part, drafted, tested } = numbers;
  const other = verifier === "match" ? "a_match" : "a_other";
  const alpha = greedy || verifier === "rejection" ? null : explainWord(other);
  const positions = plain("a_positions", { n: numbers.alpha_positions });
  return [
    figure("a_drafted", percent(numbers.accepted_of_drafted), plain("a_of", { part, whole: drafted })),
    figure("a_tested", percent(numbers.accepted_of_tested), plain("a_of", { part, whole: tested })),
    figure("a_alpha", percent(numbers.alpha), positions, alpha),
  ];
}

/** Beside the best tree of a run of trees the best chain. @param {TreeAccount} account */
function treeFigure({ block, best_tree, best_chain }) {
  const { nodes: n, levels, speedup } = best_tree;
  const chain = { K: best_chain.nodes, chain: times(best_chain.speedup) };
  const shapes = { n, levels, tree: times(speedup), ...chain, most: block };
  const here = explainWord(n ? "f_tree_here" : "f_tree_zero", shapes);
  const value = plain("f_tree_nodes", { n });
  return figure("f_tree", value, times(speedup), here);
}

/** @param {Exclude<Account, TreeAccount | { missing: string }>} account */
function bestFigure({ best_K, best_speedup, best_measured: measured, best_reach: reach }) {
  if (best_K === null) return figure("f_best", WORDS.none, "", explainWord("f_best_none"));
  const speedup = times(best_speedup);
  const here = explainWord(best_K ? "f_best_here" : "f_best_zero", { speedup, measured, reach });
  return figure("f_best", `K = ${best_K}`, best_K ? speedup : "", here);
}

/** c, v, what they predict, and the K that they make best; where the run has none of them, it says so.
 * @param {Account} account @param {string} engine */
function costFigures(account, engine) {
  const hasTrees = "best_tree" in account;
  if (!hasTrees && account.missing !== null) {
    return COSTS.map((key) => figure(key, WORDS.none, "", explainWord(`missing_${account.missing}`, { engine })));
  }
  const { c, v, block, tokens, steps, cost, predicted, of_predicted } = account;
  const part = plain("f_predicted_note", { part: `${number(100 * of_predicted, 0)} %` });
  const here = explainWord("f_predicted_here", rounded({ tokens, steps, rest: cost.rest, cost: cost.all }));
  const blockNote = plain("f_v_note", { n: block + 1 });
  return [
    figure("f_c", number(c, c < 0.1 ? 3 : 2), "", null, explainWord(hasTrees ? "f_tree_c_is" : "f_c_is")),
    figure("f_v", number(v, 2), blockNote, null, explainWord(hasTrees ? "f_tree_v_is" : "f_v_is")),
    hasTrees || !account.replay ? null : figure("f_replay", number(account.replay, 2)),
    figure("f_predicted", times(predicted), part, here),
    hasTrees ? treeFigure(account) : bestFigure(account),
  ];
}

/** A word, what it is called in assets/player/account.js, its digits. @type {[string, string, number][]} */
const TABLE = [
  ["n_tokens", "tokens", 0],
  ["n_rate", "tokens_per_second", 1],
  ["n_rate_all", "tokens_per_second_end_to_end", 1],
  ["n_decode", "decode_ms", 1],
  ["n_prefill", "prefill_ms", 1],
  ["n_forwards", "target_forwards", 0],
  ["n_draft_forwards", "draft_forwards", 0],
  ["n_per_round", "tokens_per_round", 2],
  ["n_drafted", "drafted_per_round", 2],
];
/** Times, withheld where the machine was busy; rounds keep theirs, since the replay is made of them. */
const TIMES = ["tokens_per_second", "tokens_per_second_end_to_end", "decode_ms", "prefill_ms"];
const DRAFT_COUNTS = ["draft_forwards", "drafted_per_round"]; // left out where every lane has none
/** @type {Part[]} */
const PARTS = ["draft", "verify", "decide", "rest"];

/** @param {HTMLElement} box @param {Picture} picture @param {() => void} plotAcceptance by position */
export function drawNumbers(box, picture, plotAcceptance) {
  const lanes = LANES.map((name) => picture.lanes[name]?.numbers || null);
  const busy = Boolean(picture.comparison?.disturbed.length);
  box.replaceChildren(
    el("h3", null, WORDS.numbers),
    factsOf(picture) ?? "",
    el("p.sv-settings-line.sv-note", null, settingsLine(picture.header)),
    el("p.sv-why", null, whyLine(picture.account, picture.header.engine)),
    el(
      "div.sv-columns",
      null,
      el("div", null, figures(picture), positionSection(picture, plotAcceptance)),
      el("div", null, laneTable(lanes, busy), busy || !hasRounds(picture.lanes) ? null : timeSplit(lanes)),
    ),
    el("div.sv-note", null, runFacts(picture.header, lanes)),
  );
}

/** @param {(Record<string, any> | null)[]} lanes @param {boolean} busy */
function laneTable(lanes, busy) {
  const rows = TABLE.filter(([, key]) => !(busy && TIMES.includes(key))).filter(
    ([, key]) => !DRAFT_COUNTS.includes(key) || lanes.some((numbers) => numbers?.[key]),
  );
  const heads = [null, ...LANES.map((name) => WORDS[name])];
  const lines = rows.map(([word, key, digits]) => {
    const cells = lanes.map((numbers) => number(numbers?.[key], digits));
    return line(wordOf(word), cells);
  });
  return table(".sv-table", heads, lines);
}

/** @param {Picture} picture @param {() => void} plotAcceptance */
function positionSection({ lanes, account }, plotAcceptance) {
  const rows = lanes.speculative?.numbers.by_position ?? [];
  if (!rows.length) return null;
  return el(
    "section.sv-positions",
    null,
    positionTable(rows),
    currentRun.plotly ? button(WORDS.plot_positions, plotAcceptance, { class: "sv-plot-button" }) : null,
    el("p.sv-note", null, WORDS.position_is),
    account.missing === null ? el("p.sv-note", null, phrase("position_three", rounded(account.tokens_by))) : null,
  );
}

/** @param {(Numbers | null)[]} lanes vanilla, then speculative */
function timeSplit(lanes) {
  const longest = Math.max(1e-9, ...lanes.map((numbers) => numbers?.decode_ms || 0));
  const rows = lanes.map((numbers, i) => {
    let from = 0;
    const parts = PARTS.map((part) => {
      const ms = numbers?.split[part] ?? null;
      const node = bar(part, ms ?? 0, longest, from);
      node.title = `${WORDS[`s_${part}`]}: ${timeText(ms)}`;
      from += ms ?? 0;
      return node;
    });
    return numbers && row(el("span.sv-note", null, WORDS[LANES[i]]), parts, []);
  });
  const lines = PARTS.map((part) => {
    const cells = lanes.map((numbers) => (numbers ? timeText(numbers.split[part]) : WORDS.none));
    return line(keys([part, WORDS[`s_${part}`]]), cells);
  });
  const note = el("p.sv-note", null, WORDS.split_is);
  return el(
    "section.sv-panel",
    null,
    el("h4", null, WORDS.split),
    note,
    el("div.sv-bars", null, rows),
    table(".sv-table", null, lines),
  );
}

/** @param {number | null} ms none where an engine does not tell */
const timeText = (ms) => (ms === null ? WORDS.none : plain("ms", { ms: milliseconds(ms) }));
