// The numbers under Luck's dots, and its rows for a spreadsheet.

import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { table } from "../../shared/table.js";
import { drafterWord, shapeWord } from "../setting.js";
import { MEASURES } from "./dots.js";

/** @import { Words } from "../types.js" */
/** @import { Found, Spread } from "./types.js" */

/** @param {Found} found @param {Words} words */
export function numbers({ settings, spreads, same, ratio }, words) {
  const heads = [words.setting_head, "", words.median, words.interval, words.quartiles];
  const lines = settings.flatMap(({ drafter, K, temperature, verifier, ...tree }, i) =>
    MEASURES.map((measure, n) => {
      const name = `${drafterWord(drafter, words)}, K ${K}, T ${temperature}, ${verifier}${shapeWord(tree, words)}`;
      const spread = spreads[i][measure];
      const whose = n ? null : `${name}, ${fillText(words.of_seeds, { n: spreads[i].speedup?.runs ?? 0 })}`;
      return spreadLine(whose, words[measure], spread, MEASURES.length);
    }),
  );
  lines.push(spreadLine(fillText(words.of_again, { n: same?.runs ?? 0 }), words.speedup, same));
  if (ratio) lines.push(spreadLine(words.ratio, words.speedup, ratio));
  return table(".sv-table.lab-table", heads, lines);
}

/**
 * @param {string | null} name of this and the next lines, `rows` in all @param {string} measure
 * @param {Spread | null} spread
 */
function spreadLine(name, measure, spread, rows = 1) {
  const two = (/** @type {number} */ a, /** @type {number} */ b) => `${number(a, 2)} – ${number(b, 2)}`;
  const cells = spread
    ? [number(spread.median, 2), two(spread.low, spread.high), two(spread.first, spread.third)]
    : ["–", "–", "–"];
  const parts = [measure, ...cells].map((text) => el("td", null, text));
  return el("tr", null, name === null ? null : el("th", { scope: "rowgroup", rowspan: rows }, name), parts);
}

/** @param {Found} found @returns {(string | number | null)[][]} */
export function rows({ dots, settings }) {
  return dots.map((dot) => {
    const { drafter, K, temperature, verifier, drafting, tree = "off", children, nodes } = settings[dot.setting];
    const shape = { off: "", static: children, dynamic: nodes }[tree] ?? "";
    const what = [dot.setting + 1, drafter, K, temperature, verifier, drafting, shape, dot.seed, dot.again ? 1 : 0];
    return [...what, dot.alpha, dot.tokens_a_round, dot.speedup, dot.disturbed ? 1 : 0];
  });
}
