// Sentences under the numbers: what was asked for, why the run was fast or slow, what ran where.

import { el } from "../shared/dom.js";
import { explainWord } from "../shared/glossary.js";
import { milliseconds, minute, number, percent, rounded, times } from "../shared/numbers.js";
import { phrase, plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @import { Account, Header, Model, Numbers } from "../shared/types.js" */

/** Everything that was asked for: with the models and the machine, enough to run it again. @param {Header} header */
export function settingsLine({ draft, config, created }) {
  const { K, greedy, drafting, verifier, confidence, survival, adaptive, ignore_eos, stop, top_k, tree, grammar } =
    config;
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

/**
 * One or two sentences: what a round brought and cost, and what held the run back most. All of it measured.
 * @param {Account} account @param {string} engine
 */
export function whyLine(account, engine) {
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
  if (engine === "specviz") return null;
  const note = `engine_note_${engine}`;
  const what = left_out.map((key) => wordOf(`left_out_${key}`)).join(", ");
  return [
    el("p.sv-engine", null, phrase("engine", { engine, version }), " ", Object.hasOwn(WORDS, note) ? phrase(note) : ""),
    what ? el("p.sv-engine", null, phrase("left_out", { engine, what })) : null,
    departures.length ? el("p.sv-engine", null, phrase("departures", { what: departures.join("; ") })) : null,
  ];
}

/** @param {Header} header @param {(Numbers | null)[]} lanes */
export function runFacts(header, lanes) {
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
    otherEngine(header),
    el("p", null, models),
    el("p", null, machine.torch ? phrase("machine", machine) : machine.device),
    machine.note ? el("p.sv-device", null, phrase("machine_note", { note: machine.note })) : null,
    el("p", null, phrase("observed", { ms: milliseconds(sum("observe_ms")) })),
    captureMs ? el("p.sv-captured", null, phrase("captured", { ms: milliseconds(captureMs) })) : null,
    why ? el("p.sv-eager", null, phrase("eager", { why })) : null,
  ];
}
