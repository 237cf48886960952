// The chance of a draft token to stay, a row a rule; the rule that keeps most is marked. Temperature 0 has a row of its
// own.

import { bar, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { PAGE } from "../lesson.js";
import { most, RULES } from "./chances.js";

/** @import { Chances } from "../../shared/types.js" */

/** What a rule is called. @param {keyof Chances} rule */
const ruleName = (rule) => ({ rejection: PAGE.rule_rejection, match: PAGE.rule_match, argmax: PAGE.rule_argmax })[rule];

export function makeMatrix() {
  const rows = el("div.sv-bars");
  return {
    root: el("div.lrn-by-rule", null, el("h4", null, PAGE.rules), rows),
    /** @param {Chances & { equal: boolean }} chances */
    show(chances) {
      const best = most(chances);
      const sampled = RULES.map((rule) => chanceRow(ruleName(rule), chances[rule], best.includes(rule)));
      rows.replaceChildren(...sampled, row(PAGE.rule_equal, bar("target", Number(chances.equal), 1), [equal(chances)]));
    },
  };
}

/** @param {{ equal: boolean }} chances */
const equal = (chances) => (chances.equal ? PAGE.rule_always : PAGE.rule_never);

/** @param {string} name @param {number} chance @param {boolean} best */
function chanceRow(name, chance, best) {
  const value = best ? fillText(PAGE.rule_most, { chance: number(chance, 2) }) : number(chance, 2);
  return row(name, bar("shared", chance, 1), [value], best);
}
