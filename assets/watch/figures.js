// The figures of a run: each opens to one line on what it is, by mouse, touch and key, as any <details> does.

import { el } from "../shared/dom.js";
import { explainWord } from "../shared/glossary.js";
import { number, percent, times } from "../shared/numbers.js";
import { plain } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";
import { textsLine } from "./headline.js";

/** @import { TreeAccount } from "../shared/types.js" */
/** @import { Account, Child, Comparison, Config, Numbers, Picture } from "../shared/types.js" */

/** @param {Picture} picture */
export function figures({ comparison, account, lanes, header }) {
  const mine = lanes.speculative?.numbers;
  const list = [speedupFigure(comparison)];
  if (mine)
    list.push(figure("f_per_forward", number(mine.tokens_per_forward, 2), null, explainWord("f_per_forward_is")));
  if (mine?.drafted) list.push(...acceptance(mine, header.config));
  list.push(...prices(account, header.engine));
  if (comparison) list.push(figure("f_texts", texts(comparison), null, textsLine(comparison, header.config)));
  return el("div.sv-figures", null, list);
}

/** @param {Comparison | null} comparison */
function speedupFigure(comparison) {
  if (!comparison || comparison.speedup === null)
    return figure("f_speedup", WORDS.none, null, explainWord("no_speedup"));
  const { speedup, low, high, kind } = comparison;
  if (kind === "disturbed") return figure("f_speedup", WORDS.none, null, explainWord("f_speedup_busy"));
  const between = plain("between", { low: number(low, 2), high: number(high, 2) });
  return figure("f_speedup", times(speedup), between, explainWord("f_speedup_is"));
}

/** @param {Comparison} comparison */
function texts({ same, parts, common }) {
  if (same) return WORDS.f_same;
  return parts ? plain("f_parts", { at: common + 1 }) : WORDS.f_prefix;
}

/** @param {string} key @param {string} value @param {string | null} note @param {Child} explained */
function figure(key, value, note, explained) {
  const help = el("span.sv-help", { "aria-hidden": "true" }, "?");
  const shown = [el("strong", null, value), note ? el("span.sv-note", null, ` ${note}`) : null];
  const summary = el(
    "summary",
    null,
    el("span.sv-figure-name", null, wordOf(key), " ", help),
    el("span.sv-figure-value", null, shown),
  );
  return el("details.sv-figure", { "data-figure": key }, summary, el("p", null, explained));
}

/** @param {Numbers} numbers @param {Config} config */
function acceptance(numbers, { greedy, verifier }) {
  const of = (/** @type {number} */ whole) => plain("a_of", { part: numbers.accepted, whole });
  const other = verifier === "match" ? "a_match" : "a_other";
  const alpha = greedy || verifier === "rejection" ? "a_alpha_is" : other;
  const positions = plain("a_positions", { n: numbers.alpha_positions });
  return [
    figure("a_drafted", percent(numbers.accepted_of_drafted), of(numbers.drafted), explainWord("a_drafted_is")),
    figure("a_tested", percent(numbers.accepted_of_tested), of(numbers.tested), explainWord("a_tested_is")),
    figure("a_alpha", percent(numbers.alpha), positions, explainWord(alpha)),
  ];
}

/** Beside the best tree of a run of trees the best chain. @param {TreeAccount} account */
function treeFigure({ block, best_tree, best_chain }) {
  const { nodes: n, levels, speedup } = best_tree;
  const chain = { K: best_chain.nodes, chain: times(best_chain.speedup) };
  const shapes = { n, levels, tree: times(speedup), ...chain, most: block };
  const explained = explainWord(n ? "f_tree_is" : "f_tree_zero", shapes);
  return figure("f_tree", plain("f_tree_nodes", { n }), times(speedup), explained);
}

/** @param {Exclude<Account, TreeAccount | { missing: string }>} account */
function bestFigure({ best_K, best_speedup, best_measured: measured, best_reach: reach }) {
  const best = { speedup: times(best_speedup), measured, reach };
  const promise = best_K === null ? "f_best_none" : best_K ? "f_best_is" : "f_best_zero";
  const value = best_K === null ? WORDS.none : `K = ${best_K}`;
  return figure("f_best", value, best_K ? best.speedup : null, explainWord(promise, best));
}

/**
 * c, v, what they predict, and the K that they make best; where the run has none of them, it says so.
 * @param {Account} account @param {string} engine
 */
function prices(account, engine) {
  const tree = "best_tree" in account;
  if (!tree && account.missing !== null) {
    const why = `missing_${account.missing}`;
    return ["f_c", "f_v", "f_predicted", "f_best"].map((key) =>
      figure(key, WORDS.none, null, explainWord(why, { engine })),
    );
  }
  const { c, v, block, tokens, steps, predicted, of_predicted } = account;
  const cost = tree ? account.cost : account.why.cost;
  const replay = tree ? 0 : account.replay;
  const two = (/** @type {number} */ value) => number(value, 2);
  const made = { tokens: two(tokens), steps: two(steps), rest: two(cost.rest), cost: two(cost.all) };
  const part = plain("f_predicted_note", { part: `${number(100 * of_predicted, 0)} %` });
  const n = block + 1;
  return [
    figure("f_c", number(c, c < 0.1 ? 3 : 2), null, explainWord(tree ? "f_tree_c_is" : "f_c_is")),
    figure("f_v", two(v), plain("f_v_note", { n }), explainWord(tree ? "f_tree_v_is" : "f_v_is", { n })),
    ...(replay ? [figure("f_replay", two(replay), null, explainWord("f_replay_is"))] : []),
    figure("f_predicted", times(predicted), part, explainWord("f_predicted_is", made)),
    tree ? treeFigure(account) : bestFigure(account),
  ];
}
