// Chapter 12: what engines run: the chance to stay by rule, of three tokens and at recorded positions; who runs what;
// which rules are not exact; what a grammar does to drafts.

import { bar, legend, row } from "../../shared/bars.js";
import { el } from "../../shared/dom.js";
import { number, percent } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { line, table, wordTable } from "../../shared/table.js";
import { addPicture, PAGE } from "../lesson.js";
import { views } from "../views.js";
import { recordedPlaces, trio } from "./places.js";

/** @import { EngineOfOthers, Engines, GrammarComparison, GrammarCounts, Inexact, Picture, Stage,
 * View } from "../types.js" */

const BEAT_MS = 3000;

/** @param {Engines} excerpt @param {Stage} stage @returns {Picture} */
function whoRunsWhat({ recorded, temperature, engines, inexact, masked }, stage) {
  const parts = [
    { ...trio(stage), word: PAGE.view_trio },
    ...(recorded ? [{ ...recordedPlaces(recorded, temperature, stage), word: PAGE.view_places }] : []),
    { ...defaults(engines), word: PAGE.view_engines },
    { ...switches(engines), word: PAGE.view_switch },
    { ...distances(inexact), word: PAGE.view_inexact },
    ...(masked ? [{ ...grammar(masked), word: PAGE.view_grammar }] : []),
  ];
  return views("lrn-others", parts, BEAT_MS, stage);
}

/** The same question with a fixed shape, and without. @param {GrammarComparison} masked @returns {View} */
function grammar({ with: ruled, without, forced_first: free, target, draft, K, temperature, seeds }) {
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
    sentences: [
      [PAGE.grammar_mask],
      [PAGE.grammar_says, { void: percent(ruled.void / ruled.drafted) }],
      [PAGE.grammar_free, { free: perRound(free), now: perRound(ruled), saved: percent(ruled.forced / ruled.tokens) }],
    ],
  };
}

/** @param {GrammarCounts} counts */
const perRound = ({ tokens, rounds }) => number(tokens / rounds, 2);

/** Which engine drafts and tests how unless told otherwise. @param {EngineOfOthers[]} engines @returns {View} */
function defaults(engines) {
  const names = [PAGE.engine, PAGE.engine_default, PAGE.engine_chance, PAGE.engine_options];
  const rows = engines.map(({ name, known, default: drafts, chance, options, inexact }) => {
    const others = inexact
      ? [options === "–" ? "" : `${options}; `, fillText(PAGE.engine_inexact, { what: inexact })]
      : [options];
    return line([name, el("small", null, known)], [drafts, chance, others]);
  });
  return {
    node: el("div", null, wordTable("", names, rows), el("p.sv-note", null, PAGE.engines_known)),
    sentences: [[PAGE.engines_says]],
  };
}

/** What turns drafting on, by engine. @param {EngineOfOthers[]} engines @returns {View} */
function switches(engines) {
  const rows = engines
    .filter((one) => one.switch)
    .map(({ name, known, ...one }) => {
      const option = [el("code", null, one.switch), el("small", null, one.source)];
      return line([name, el("small", null, known)], [option]);
    });
  return { node: wordTable(".lrn-switch", [PAGE.engine, PAGE.switch], rows), sentences: [[PAGE.switch_says]] };
}

/** How far the rules that are not exact bend the distribution. @param {Inexact[]} inexact @returns {View} */
function distances(inexact) {
  const rows = inexact.map(({ name, sample, argmax }) => {
    const [mean, worst] = argmax.map((value) => number(value, 2));
    const value = fillText(PAGE.inexact_value, { argmax: mean, worst, sample: number(sample[0], 2) });
    return row(name, [bar("wrong", argmax[0], 1), bar("outline", sample[0], 1)], [value]);
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
    sentences: [[PAGE.inexact_says]],
  };
}

addPicture("engines", whoRunsWhat);
