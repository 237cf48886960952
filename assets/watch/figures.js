// The figures of a run: each opens to one line on what it is, by mouse, touch and key, as any <details> does.

import { el } from "../shared/dom.js";
import { explainWord } from "../shared/glossary.js";
import { number, percent, rounded, times } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";
import { textsLine } from "./headline.js";

/** @import { Account, Child, Comparison, Config, Numbers, Picture, TreeAccount } from "../shared/types.js" */

/** How a figure came about, said beside each. @typedef {"measured" | "counted" | "calculated"} Basis */

/** @param {Picture} picture */
export function figures({ comparison, account, lanes, header }) {
  const numbers = lanes.speculative?.numbers;
  return el("div.sv-figures", null, [
    speedupFigure(comparison),
    numbers ? figure("f_per_forward", "counted", number(numbers.tokens_per_forward, 2)) : null,
    numbers?.drafted ? acceptanceFigures(numbers, header.config) : null,
    costFigures(account, header.engine),
    comparison ? figure("f_texts", "", sameTexts(comparison), "", textsLine(comparison, header.config)) : null,
  ]);
}

/** @param {Comparison | null} comparison */
function speedupFigure(comparison) {
  const speedup = (/** @type {string} */ value, note = "", /** @type {Child[]} */ ...here) =>
    figure("f_speedup", "measured", value, note, explainWord("f_speedup_is"), ...here);
  if (!comparison || comparison.speedup === null) return speedup(WORDS.none, "", explainWord("no_speedup"));
  const { low, high, kind, clock } = comparison;
  if (kind === "disturbed") return speedup(WORDS.none, "", explainWord("f_speedup_busy"));
  const range = plain("between", { low: number(low, 2), high: number(high, 2) });
  return speedup(times(comparison.speedup), range, clock === "processor" ? explainWord("by_processor_is") : null);
}

/** @param {Comparison} comparison */
function sameTexts({ same, parts, common }) {
  if (same) return WORDS.f_same;
  return parts ? plain("f_parts", { at: common + 1 }) : WORDS.f_prefix;
}

/**
 * @param {string} key @param {Basis | ""} basis @param {string} value @param {string} note behind it
 * @param {Child[]} explanation what it is, whatever the run gave; then what is special here
 */
function figure(key, basis, value, note = "", ...explanation) {
  const help = el("span.sv-help", { "aria-hidden": "true" }, "?");
  const valueNodes = [el("strong", null, value), note ? el("span.sv-note", null, ` ${note}`) : null];
  const parts = explanation.length ? explanation : [explainWord(`${key}_is`)];
  const summary = el(
    "summary",
    null,
    el("span.sv-muted", null, wordOf(key), " ", help),
    basis ? el("span.sv-basis", null, WORDS[`basis_${basis}`]) : null,
    el("span.sv-figure-value", null, valueNodes),
  );
  const sentences = parts.flatMap((part) => [part, " "]);
  return el("details.sv-figure", { "data-figure": key }, summary, el("p", null, sentences));
}

/** @param {Numbers} numbers @param {Config} config */
function acceptanceFigures(numbers, { greedy, verifier }) {
  const of = (/** @type {number} */ whole) => plain("a_of", { part: numbers.accepted, whole });
  const other = verifier === "match" ? "a_match" : "a_other";
  const alpha = greedy || verifier === "rejection" ? [] : [explainWord(other)];
  const positions = plain("a_positions", { n: numbers.alpha_positions });
  return [
    figure("a_drafted", "counted", percent(numbers.accepted_of_drafted), of(numbers.drafted)),
    figure("a_tested", "counted", percent(numbers.accepted_of_tested), of(numbers.tested)),
    figure("a_alpha", "calculated", percent(numbers.alpha), positions, explainWord("a_alpha_is"), ...alpha),
  ];
}

/** Beside the best tree of a run of trees the best chain. @param {TreeAccount} account */
function treeFigure({ block, best_tree, best_chain }) {
  const { nodes: n, levels, speedup } = best_tree;
  const chain = { K: best_chain.nodes, chain: times(best_chain.speedup) };
  const shapes = { n, levels, tree: times(speedup), ...chain, most: block };
  const here = explainWord(n ? "f_tree_here" : "f_tree_zero", shapes);
  const value = plain("f_tree_nodes", { n });
  return figure("f_tree", "calculated", value, times(speedup), explainWord("f_tree_is"), here);
}

/** @param {Exclude<Account, TreeAccount | { missing: string }>} account */
function bestFigure({ best_K, best_speedup, best_measured: measured, best_reach: reach }) {
  const best = (/** @type {string} */ value, /** @type {string} */ note, /** @type {Child} */ here) =>
    figure("f_best", "calculated", value, note, explainWord("f_best_is"), here);
  if (best_K === null) return best(WORDS.none, "", explainWord("f_best_none"));
  const speedup = times(best_speedup);
  const here = explainWord(best_K ? "f_best_here" : "f_best_zero", { speedup, measured, reach });
  return best(`K = ${best_K}`, best_K ? speedup : "", here);
}

/** @type {[key: string, basis: Basis][]} */
const COSTS = [
  ["f_c", "measured"],
  ["f_v", "measured"],
  ["f_predicted", "calculated"],
  ["f_best", "calculated"],
];

/**
 * c, v, what they predict, and the K that they make best; where the run has none of them, it says so.
 * @param {Account} account @param {string} engine
 */
function costFigures(account, engine) {
  const hasTrees = "best_tree" in account;
  if (!hasTrees && account.missing !== null) {
    const why = `missing_${account.missing}`;
    return COSTS.map(([key, basis]) =>
      figure(key, basis, WORDS.none, "", explainWord(`${key}_is`), explainWord(why, { engine })),
    );
  }
  const { c, v, block, tokens, steps, cost, predicted, of_predicted } = account;
  const part = plain("f_predicted_note", { part: `${number(100 * of_predicted, 0)} %` });
  const here = explainWord("f_predicted_here", rounded({ tokens, steps, rest: cost.rest, cost: cost.all }));
  const blockNote = plain("f_v_note", { n: block + 1 });
  return [
    figure("f_c", "measured", number(c, c < 0.1 ? 3 : 2), "", explainWord(hasTrees ? "f_tree_c_is" : "f_c_is")),
    figure("f_v", "measured", number(v, 2), blockNote, explainWord(hasTrees ? "f_tree_v_is" : "f_v_is")),
    hasTrees || !account.replay ? null : figure("f_replay", "measured", number(account.replay, 2)),
    figure("f_predicted", "calculated", times(predicted), part, explainWord("f_predicted_is"), here),
    hasTrees ? treeFigure(account) : bestFigure(account),
  ];
}
