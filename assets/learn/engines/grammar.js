// What a grammar does to drafts: the same question with a fixed shape, and without.

import { el } from "../../shared/dom.js";
import { number, percent } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table } from "../../shared/table.js";
import { PAGE } from "../lesson.js";

/** @import { GrammarCounts, Masked, View } from "../types.js" */

/** @param {Masked} masked @returns {View} */
export function grammar({ with: ruled, without, forced_first: free, target, draft, K, temperature, seeds }) {
  const both = (/** @type {string} */ head, /** @type {(counts: GrammarCounts) => string} */ value) =>
    line(head, [value(ruled), value(without)]);
  const lines = [
    both(PAGE.grammar_tokens, perRound),
    both(PAGE.grammar_accepted, ({ accepted, tested }) => percent(accepted / tested)),
    both(PAGE.grammar_void, ({ drafted, ...counts }) => percent(counts.void / drafted)),
    both(PAGE.grammar_forced, ({ forced, tokens }) => percent(forced / tokens)),
  ];
  const values = { target, draft, K, T: number(temperature, 1), n: seeds };
  return {
    node: el(
      "div.sv-stack",
      null,
      table(".sv-table", [fillText(PAGE.grammar_run, values), PAGE.grammar_with, PAGE.grammar_without], lines),
      el("p.sv-note", null, fillText(PAGE.grammar_how, values)),
    ),
    says: [
      [PAGE.grammar_mask],
      [PAGE.grammar_says, { void: percent(ruled.void / ruled.drafted) }],
      [PAGE.grammar_free, { free: perRound(free), now: perRound(ruled), saved: percent(ruled.forced / ruled.tokens) }],
    ],
    show: () => {},
  };
}

/** @param {GrammarCounts} counts */
const perRound = ({ tokens, rounds }) => number(tokens / rounds, 2);
