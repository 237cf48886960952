// What the formula takes for granted: how often the first i drafts of a block stayed in a recorded run, beside αⁱ; and
// the speedup by the formula, by the run's own tokens a round, and as it was measured.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { speedupFor, tokensOf } from "../../shared/formula.js";
import { number, percent, times } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { onceABeat } from "../beats.js";
import { PAGE } from "../lesson.js";

/** @import { Say, Speed, View } from "../types.js" */

/** @param {Speed} run @returns {View} */
export function independence({ alpha, K, c, v, tokens_per_round, predicted, speedup, stayed, whole, given }) {
  const chance = alpha ?? 0;
  const formula = speedupFor(chance, K, c || 0, v || 1);
  const expected = tokensOf(chance, K);
  const places = el("div.sv-bars");
  const speeds = el("div.sv-bars");
  const values = {
    K,
    whole,
    alpha: number(chance, 2),
    expected: number(expected, 2),
    given: number(tokens_per_round, 2),
    formula: times(formula),
    predicted: times(predicted),
    speedup: times(speedup),
  };
  const found = [
    { word: PAGE.run_formula, tokens: expected, value: formula },
    { word: PAGE.run_given, tokens: tokens_per_round, value: predicted },
    { word: PAGE.run_measured, tokens: given, value: speedup },
  ];
  const over = (speedup ?? 0) > (predicted ?? 0) ? PAGE.run_faster : PAGE.run_4;
  const end = values.predicted === values.speedup ? PAGE.run_as_promised : over;
  const top = Math.max(...found.map(({ value }) => value ?? 0));

  /** @param {number} i the beat @param {number} n */
  function place(i, n) {
    const own = stayed[n - 1];
    const bars = [bar("outline", chance ** n, 1), i >= 1 ? bar("target", own, 1) : null];
    const text = fillText(PAGE.run_place_value, { formula: percent(chance ** n), own: i >= 1 ? percent(own) : "…" });
    return row(n === 1 ? PAGE.run_place_one : fillText(PAGE.run_place, { n }), bars, [text]);
  }

  return {
    node: el(
      "div.lrn-run.sv-stack",
      null,
      el("h4", null, fillText(PAGE.run_places, values)),
      legend(["outline", PAGE.run_independent], ["target", fillText(PAGE.run_stayed, values)]),
      places,
      el("h4", null, PAGE.run_speeds),
      speeds,
      el("p.sv-note", null, fillText(PAGE.run_note, values)),
    ),
    says: [PAGE.run_1, PAGE.run_2, PAGE.run_3, end].map((sentence) => /** @type {Say} */ ([sentence, values])),
    show: onceABeat((i) => {
      places.replaceChildren(...stayed.map((_, k) => place(i, k + 1)));
      const rows = found.map(({ word, tokens, value }, k) => {
        const shown = k < i;
        const text = shown ? fillText(PAGE.run_value, { speedup: times(value), tokens: number(tokens, 2) }) : "…";
        return row(word, shown ? [bar(k ? "target" : "outline", value ?? 0, top)] : [], [text]);
      });
      speeds.replaceChildren(...rows);
    }),
  };
}
