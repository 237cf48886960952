// Which engine drafts and tests how unless told otherwise, and how far the rules that are not exact bend the law.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, wordTable } from "../../shared/table.js";
import { PAGE } from "../lesson.js";

/** @import { EngineOfOthers, Inexact, View } from "../types.js" */

/** @param {EngineOfOthers[]} engines @returns {View} */
export function defaults(engines) {
  const names = [PAGE.engine, PAGE.engine_default, PAGE.engine_chance, PAGE.engine_options];
  const rows = engines.map(({ name, known, default: drafts, chance, options, inexact }) => {
    const others = inexact
      ? [options === "–" ? "" : `${options}; `, fillText(PAGE.engine_inexact, { what: inexact })]
      : [options];
    return line([name, el("small", null, known)], [drafts, chance, others]);
  });
  return {
    node: el("div", null, wordTable("", names, rows), el("p.sv-note", null, PAGE.engines_known)),
    says: [[PAGE.engines_says]],
    show: () => {},
  };
}

/** What turns drafting on, by engine. @param {EngineOfOthers[]} engines @returns {View} */
export function switches(engines) {
  const rows = engines
    .filter((one) => one.switch)
    .map(({ name, known, ...one }) => {
      const option = [el("code", null, one.switch), el("small", null, one.source)];
      return line([name, el("small", null, known)], [option]);
    });
  return {
    node: wordTable(".lrn-switch", [PAGE.engine, PAGE.switch], rows),
    says: [[PAGE.switch_says]],
    show: () => {},
  };
}

/** @param {Inexact[]} inexact @returns {View} */
export function distances(inexact) {
  const rows = inexact.map(({ name, drawn, argmax }) => {
    const [mean, worst] = argmax.map((value) => number(value, 2));
    const value = fillText(PAGE.inexact_value, { argmax: mean, worst, drawn: number(drawn[0], 2) });
    return row(name, [bar("wrong", argmax[0], 1), bar("outline", drawn[0], 1)], [value]);
  });
  return {
    node: el(
      "div.lrn-rules.lrn-by-rule.lrn-inexact.sv-stack",
      null,
      el("h4", null, PAGE.inexact),
      legend(["wrong", PAGE.inexact_argmax], ["outline", PAGE.inexact_drawn]),
      el("div.sv-bars", null, row(PAGE.inexact_none, [], ["0"]), rows),
      el("p.sv-note", null, PAGE.inexact_how),
      el("p.sv-note", null, PAGE.inexact_others),
    ),
    says: [[PAGE.inexact_says]],
    show: () => {},
  };
}
