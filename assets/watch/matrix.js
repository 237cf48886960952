// The rule matrix: at one position the chance of a draft token to stay by each rule, and which of them ran.

import { bar, row } from "../shared/bars.js";
import { el } from "../shared/dom.js";
import { probability } from "../shared/numbers.js";
import { plain, say } from "../shared/sentences.js";
import { WORDS, wordOf } from "../shared/words.js";

/** @import { Child, Chances, Picture, Position } from "../shared/types.js" */

/** @type {(keyof Chances)[]} */
const RULES = ["rejection", "match", "argmax"];
const ROUNDING = 1e-5; // what is sent has six digits

/** A row for each rule: what it is called, its chance, whether it ran. @param {Chances} chances @param {string} ran */
export const matrixRows = (chances, ran) => RULES.map((rule) => ({ rule, chance: chances[rule], ran: rule === ran }));

/**
 * What stands in the panel; a run that was saved before this was written down says so.
 * @param {Picture} picture @param {Position} position @returns {Child}
 */
export function ruleMatrix({ rules, header }, { chances }) {
  if (!rules) return header.config.greedy ? null : el("p.sv-note", null, WORDS.matrix_unknown);
  if (rules.ran === "greedy")
    return el("p.sv-note", null, say("matrix_greedy", { accepted: probability(rules.accepted) }));
  if (!chances) return null;
  const rows = matrixRows(chances, rules.ran);
  const other = rows.some(({ ran }) => ran) ? null : say("matrix_other", { rule: wordOf(`rule_${rules.ran}`) });
  const { positions, rejection, match, argmax } = rules;
  const means = { rejection: probability(rejection), match: probability(match), argmax: probability(argmax) };
  const run = say("matrix_run", { positions, ...means, most: leaders(rules) });
  return [
    el("div.sv-bars.sv-matrix", null, rows.map(matrixRow)),
    other ? el("p.sv-note", null, other) : null,
    el("p.sv-note", null, run),
  ];
}

/** Which of the three accept most over the run; more than one where they are equal. @param {Chances} means */
export function leaders(means) {
  const top = Math.max(...RULES.map((rule) => means[rule]));
  const first = RULES.filter((rule) => means[rule] > top - ROUNDING);
  if (first.length === RULES.length) return WORDS.matrix_same;
  const most = first.map((rule) => WORDS[`rule_${rule}`]).join(WORDS.and);
  return plain(first.length > 1 ? "matrix_tie" : "matrix_one", { most });
}

/** @param {ReturnType<typeof matrixRows>[number]} row */
function matrixRow({ rule, chance, ran }) {
  const name = [WORDS[`rule_${rule}`], ran ? el("strong", null, ` ✓ ${WORDS.matrix_ran}`) : null];
  return row(name, bar("rule", chance, 1), [probability(chance)], ran);
}
