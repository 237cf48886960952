// What engines run: the chance of a draft token to stay by rule (specviz/acceptance.py), of three tokens
// whose p and q can be moved and at recorded positions; who runs what; which rules are not exact; what a grammar does.

import { bar, chip, el, legend, line, row, scaleTop, table, wordTable } from "../../player/dom.js";
import { fillText, formatted, number, percent, probability, rounded } from "../../player/words.js";
import { slider } from "../../shared/exercise.js";
import { PAGE } from "../lesson.js";
import { onceABeat, positionChoice, pqRow, views } from "../picture.js";

/** @import { EngineOfOthers, Engines, GrammarComparison, GrammarCounts, Inexact, Picture, Place,
 * Sentence, Stage, View } from "../types.js" */
/** @import { Chances } from "../../shared/types.js" */

const ROUNDING = 1e-9;
const STEP = 100; // hundredths, as the hands move

/** @type {(keyof Chances)[]} */
const RULES = ["rejection", "match", "argmax"];

/** Where the largest stands; of equal ones the first. @param {number[]} chances */
export const largestIndex = (chances) => chances.indexOf(Math.max(...chances));

/** Drawn from q and tested by p/q, drawn and matched, the largest of q; and `equal`: whether at temperature 0, where p
 * and q are their largest alone, the draft token stays.
 * @param {number[]} p @param {number[]} q @returns {Chances & { equal: boolean }} */
export function chancesOf(p, q) {
  const sum = (/** @type {(i: number) => number} */ of) => p.reduce((all, _, i) => all + of(i), 0);
  const rejection = sum((i) => Math.min(p[i], q[i]));
  const match = sum((i) => p[i] * q[i]);
  return { rejection, match, argmax: p[largestIndex(q)], equal: largestIndex(p) === largestIndex(q) };
}

/** The rules that keep most; more than one where they keep alike. @param {Chances} chances */
export function bestRules(chances) {
  const top = Math.max(...RULES.map((rule) => chances[rule]));
  return RULES.filter((rule) => chances[rule] > top - ROUNDING);
}

/** Three chances after the one at `index` was moved: the third is what is left, and where nothing is left the other
 * gives way. In hundredths.
 * @param {number[]} chances @param {0 | 1} index @param {number} value */
export function shiftMass(chances, index, value) {
  const one = Math.round(value * STEP);
  const other = Math.min(Math.round(chances[1 - index] * STEP), STEP - one);
  const pair = index ? [other, one] : [one, other];
  return [...pair, STEP - one - other].map((n) => n / STEP);
}

/** What a rule is called. @param {keyof Chances} rule */
const ruleName = (rule) => ({ rejection: PAGE.rule_rejection, match: PAGE.rule_match, argmax: PAGE.rule_argmax })[rule];

/** A row a rule; the rule that keeps most is marked. Temperature 0 has a row of its own. */
function makeMatrix() {
  const rows = el("div.sv-bars");
  return {
    root: el("div.lrn-by-rule", null, el("h4", null, PAGE.rules), rows),
    /** @param {Chances & { equal: boolean }} chances */
    show(chances) {
      const best = bestRules(chances);
      const sampled = RULES.map((rule) => chanceRow(ruleName(rule), chances[rule], best.includes(rule)));
      rows.replaceChildren(
        ...sampled,
        row(PAGE.rule_equal, bar("target", Number(chances.equal), 1), [chances.equal ? PAGE.rule_always : PAGE.rule_never]),
      );
    },
  };
}

/** @param {string} name @param {number} chance @param {boolean} best */
function chanceRow(name, chance, best) {
  const value = best ? fillText(PAGE.rule_most, { chance: number(chance, 2) }) : number(chance, 2);
  return row(name, bar("shared", chance, 1), [value], best);
}

/** @typedef {{ p: number[], q: number[] }} Distributions */

const NAMES = ["a", "b", "c"];
/** The draft is the surer one; the target is; they prefer different tokens. @type {Distributions[]} */
const EXAMPLES = [
  { p: [0.4, 0.35, 0.25], q: [0.7, 0.2, 0.1] },
  { p: [0.9, 0.05, 0.05], q: [0.4, 0.3, 0.3] },
  { p: [0.3, 0.5, 0.2], q: [0.5, 0.4, 0.1] },
];

/** @param {NonNullable<Engines["recorded"]>} recorded @param {number} T its temperature @param {Stage} stage
 * @returns {View} */
function recordedPlaces({ places, means, positions }, T, stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  const numbers = places.map((_, i) => String(i + 1));
  const choice = positionChoice("lrn-place", numbers, 0, (i) => {
    stage.player?.pauseForVisitor();
    draw(i);
  });

  /** @param {number} i */
  function draw(i) {
    const { entries, chances, equal } = places[i];
    const top = scaleTop(entries.flatMap(({ p, q }) => [p, q]));
    const favourite = draftArgmax(places[i]);
    tokens.replaceChildren(...entries.map((e) => pqRow(chip(e.token), e, top, probability, e === favourite)));
    choice.show(i);
    matrix.show({ ...chances, equal });
  }

  const run = { n: positions, T, ...rounded({ ...means }) };
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      choice.root,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      matrix.root,
    ),
    sentences: [...places.map((place) => /** @type {Sentence} */ ([PAGE.place_says, placeValues(place)])), [PAGE.place_run, run]],
    show: (i) => draw(Math.min(i, places.length - 1)),
  };
}

/** The draft's largest, which it takes where it drafts by argmax. @param {Place} place */
const draftArgmax = ({ entries }) => entries[largestIndex(entries.map(({ q }) => q))];

/** @param {Place} place */
function placeValues(place) {
  const { token, p, q } = draftArgmax(place);
  const { rejection, argmax } = place.chances;
  return { x: chip(token), ...formatted({ p, q }, probability), ...rounded({ rejection, argmax }) };
}

/** @param {Stage} stage @returns {View} */
function trio(stage) {
  const tokens = el("div.sv-bars");
  const matrix = makeMatrix();
  let current = EXAMPLES[0];
  const sliders = ["p", "q"].flatMap((of) =>
    [0, 1].map((i) => chanceSlider(/** @type {"p" | "q"} */ (of), /** @type {0 | 1} */ (i))),
  );

  /** @param {"p" | "q"} of @param {0 | 1} i */
  function chanceSlider(of, i) {
    const onMove = (/** @type {number} */ value) => {
      stage.player?.pauseForVisitor();
      draw({ ...current, [of]: shiftMass(current[of], i, value) });
    };
    return { of, i, slider: slider(`${of}(${NAMES[i]})`, 0, 1, 0.01, onMove) };
  }

  /** @param {Distributions} distributions */
  function draw(distributions) {
    current = distributions;
    const { p, q } = distributions;
    const format = (/** @type {number} */ chance) => number(chance, 2);
    const rows = NAMES.map((name, i) => pqRow(name, { p: p[i], q: q[i] }, 1, format, i === largestIndex(q)));
    tokens.replaceChildren(...rows);
    for (const { of, i, slider } of sliders) slider.show(distributions[of][i], format(distributions[of][i]));
    matrix.show(chancesOf(p, q));
  }

  const templates = [PAGE.trio_draft, PAGE.trio_target, PAGE.trio_apart];
  return {
    node: el(
      "div.lrn-rules.sv-stack",
      null,
      legend(["p", PAGE.p], ["q", PAGE.q], ["shared", PAGE.shared], ["best", PAGE.rule_best]),
      tokens,
      el("div.lrn-sliders.sv-flow", null, ...sliders.map(({ slider }) => slider.root)),
      matrix.root,
      el("p.sv-note", null, PAGE.rule_block),
    ),
    sentences: templates.map((template, i) => [template, exampleValues(EXAMPLES[i])]),
    show: onceABeat((i) => draw(EXAMPLES[i])),
  };
}

/** @param {Distributions} distributions */
function exampleValues({ p, q }) {
  const { rejection, argmax } = chancesOf(p, q);
  return { ...rounded({ rejection, argmax }), x: NAMES[largestIndex(q)] };
}

const BEAT_MS = 3000;

/** @param {Engines} excerpt @param {Stage} stage @returns {Picture} */
export function whoRunsWhat({ recorded, temperature, engines, inexact, masked }, stage) {
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
