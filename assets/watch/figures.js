// The figures of a run: each opens to one line on what it is, by mouse, touch and key, as any <details> does.

import { el } from "../shared/dom.js";
import { explainWord } from "../shared/glossary.js";
import { number, percent, rounded, times } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";
import { textsLine } from "./headline.js";

/** @import { Account, Child, Comparison, Config, Numbers, Picture, TreeAccount } from "../shared/types.js" */

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
export function figures({ comparison, account, lanes, header }) {
  const numbers = lanes.speculative?.numbers;
  return el("div.sv-figures", null, [
    speedupFigure(comparison),
    numbers ? figure("f_per_forward", number(numbers.tokens_per_forward, 2)) : null,
    numbers?.drafted ? acceptanceFigures(numbers, header.config) : null,
    costFigures(account, header.engine),
    comparison ? figure("f_texts", sameTexts(comparison), "", null, textsLine(comparison, header.config)) : null,
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

/** @param {Comparison} comparison */
function sameTexts({ same, parts, common }) {
  if (same) return WORDS.f_same;
  return parts ? plain("f_parts", { at: common + 1 }) : WORDS.f_prefix;
}

/**
 * @param {string} key @param {string} value @param {string} note behind it @param {Child} here what is special here
 * @param {Child} what it is, whatever the run gave
 */
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
  const of = (/** @type {number} */ whole) => plain("a_of", { part: numbers.accepted, whole });
  const other = verifier === "match" ? "a_match" : "a_other";
  const alpha = greedy || verifier === "rejection" ? null : explainWord(other);
  const positions = plain("a_positions", { n: numbers.alpha_positions });
  return [
    figure("a_drafted", percent(numbers.accepted_of_drafted), of(numbers.drafted)),
    figure("a_tested", percent(numbers.accepted_of_tested), of(numbers.tested)),
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

/**
 * c, v, what they predict, and the K that they make best; where the run has none of them, it says so.
 * @param {Account} account @param {string} engine
 */
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
