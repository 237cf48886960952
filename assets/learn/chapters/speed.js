// How fast, by the formula; and what the formula takes for granted, on a recorded run: how often the first i
// drafts of a block stayed, beside αⁱ, and the speedup; and at each K where the rounds start, and acceptance by position.

import { between, chart, curve, dots, note, rule, steps } from "../../chart/chart.js";
import { bar, button, el, legend, roundNumbers, row } from "../../player/dom.js";
import { fillText, formatted, number, percent, rounded, times } from "../../player/words.js";
import { slider } from "../../shared/exercise.js";
import { bestLength, speedupFor, speedupOf } from "../../shared/formulas.js";
import { expectedTokens } from "../../trace/events.js";
import { PAGE } from "../lesson.js";
import { makeMap, onceABeat, PAIR_SIGN, views } from "../picture.js";

/** @import { AtK, ByK, Costs, Pair, Picture, Sentence, Speed, Stage, View } from "../types.js" */
/** @import { Cost } from "../../shared/formulas.js" */

const [WIDTH, HEIGHT] = [180, 160]; // px of one plot
const BELOW = 0.05; // room for the number under a first position
const [FIRSTS, ALL, STARTS] = [1, 2, 3]; // beats from which more is visible than K = 1

/** @param {ByK} recorded @returns {View} */
function byK({ target, draft, temperature, prompts, seeds, rows }) {
  const shares = rows.flatMap(({ accepted }) => accepted);
  const ends = roundNumbers(Math.min(...shares) - BELOW, Math.max(...shares), 3);
  const last = rows[rows.length - 1];
  const firsts = rows.map(({ rejected }) => rejected);
  const values = {
    ...{ target, draft, temperature, prompts, seeds, last: last.K },
    most: number(rows[0].rounds, 0),
    least: number(last.rounds, 0),
    one: percent(rows[0].accepted[0]),
    long: percent(last.accepted[0]),
    late: percent(last.accepted[last.K - 1]),
    low: percent(Math.min(...firsts)),
    high: percent(Math.max(...firsts)),
    easy: percent(Math.min(...rows.map(({ whole }) => whole))),
    few: percent(rows[0].after),
    many: percent(last.after),
  };
  const plots = el("div.lrn-by-k");
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("h4", null, PAGE.k_title),
      plots,
      el("p.sv-note", null, PAGE.k_line),
      el("p.sv-note", null, fillText(PAGE.k_where, values)),
    ),
    sentences: [PAGE.k_1, PAGE.k_2, PAGE.k_3, PAGE.k_4, PAGE.k_5].map((text) => [text, values]),
    show: onceABeat((i) => {
      plots.replaceChildren(...rows.map((row) => plot(row, rows[0].accepted[0], last.K, ends, i)));
    }),
  };
}

/** The first `beat`s show less of it. @param {AtK} row @param {number} level of K = 1 @param {number} most
 * @param {number[]} ends of the scale, in shares @param {number} beat */
function plot({ K, accepted, after }, level, most, ends, beat) {
  const visible = K > 1 && beat < FIRSTS ? [] : beat < ALL ? accepted.slice(0, 1) : accepted;
  const points = visible.map((y, i) => {
    const share = percent(y);
    return { x: i, y, title: fillText(PAGE.k_value, { position: i + 1, share }) };
  });
  const [first] = points;
  const marks = [
    rule({ y: level }),
    curve(points, { series: "target" }),
    dots(points.slice(1), { series: "target", r: 3, sentences: points.slice(1).map(({ title }) => `${title}.`) }),
    ...(first
      ? [
          dots([first], { series: "target", kind: "spot", r: 5, sentences: [`${first.title}.`] }),
          note(first, percent(first.y), { dx: 4, dy: K === 1 ? -9 : 19, kind: "value" }),
        ]
      : []),
  ];
  const positions = Array.from({ length: most }, (_, i) => String(i + 1));
  const plane = {
    frame: { x: 0, y: 0, width: WIDTH, height: HEIGHT },
    title: fillText(PAGE.k_plane, { K }),
    caption: beat >= STARTS ? fillText(PAGE.k_after, { after: percent(after) }) : "\u00a0",
    x: steps(positions),
    y: between(ends[0], ends[ends.length - 1], ends, "", (share) => `${number(100 * share, 0)} %`),
    marks,
  };
  return chart({ width: WIDTH, planes: [plane] });
}

const BEAT_MS = 2400;
const SWEEP_C = [0.05, 0.2, 0.4, 0.8]; // between the c of the recorded draft, at both ends
const MAX_V = 6; // of the slider

/** @param {Speed} excerpt @param {Stage} stage @returns {Picture} */
export function speed(excerpt, stage) {
  const parts = [{ ...sweep(excerpt, stage), word: PAGE.view_map }];
  if (excerpt.stayed.length) parts.push({ ...independence(excerpt), word: PAGE.view_run });
  parts.push({ ...byK(excerpt.by_k), word: PAGE.view_k });
  return views("lrn-speeds", parts, BEAT_MS, stage);
}

/** The speedup for every α and K by the formula, at a c and a v that can be moved, with this pair's own point.
 * @param {Pair & Costs} pair @param {Stage} stage @returns {View} */
function sweep(pair, stage) {
  const alpha = pair.alpha ?? 0;
  const at = pair.K;
  const own = { c: pair.c || 0, v: Math.max(1, pair.v || 1), at };
  const map = makeMap(alpha, at);
  const pairValues = { T: pair.temperature, K: at, ...rounded({ alpha: pair.alpha, c: pair.c, v: pair.v }) };
  const sign = el("span", { "aria-hidden": "true" }, `${PAIR_SIGN} `);
  const here = el("p.sv-strong.lrn-own", null, sign, fillText(PAGE.map_here, pairValues));
  const sliders = {
    c: slider(PAGE.map_c, 0, 1, 0.005, (c) => moveTo({ ...current, c })),
    v: slider(fillText(PAGE.map_v, { K: at }), 1, MAX_V, 0.01, (v) => moveTo({ ...current, v })),
  };
  const back = button(PAGE.map_reset, () => moveTo(own));
  let current = own;

  function show(/** @type {Cost} */ to) {
    current = to;
    sliders.c.show(to.c, number(to.c, 2));
    sliders.v.show(to.v, number(to.v, 2));
    sign.hidden = to.c !== own.c || to.v !== own.v;
    map.show(to, sign.hidden);
  }

  function moveTo(/** @type {Cost} */ to) {
    stage.player?.pauseForVisitor();
    show(to);
  }

  const costs = [own.c, ...SWEEP_C, own.c];
  const sentences = costs.map((c, i) => sentenceAt(pair, { ...own, c }, i === costs.length - 1));
  const notes = [PAGE.map_slower, PAGE.map_best, PAGE.map_v_note].join(" · ");
  return {
    node: el(
      "div.lrn-speed.sv-stack",
      null,
      el("div.lrn-map-box", null, map.root, el("p.sv-note.lrn-centre", null, PAGE.map_alpha)),
      here,
      el("div.lrn-sliders.sv-flow", null, sliders.c.root, sliders.v.root, back),
      el("p.sv-note", null, notes),
    ),
    sentences,
    show: onceABeat((i) => show({ ...own, c: costs[i] })),
  };
}

/** @param {Pair & Costs} pair @param {Cost} cost @param {boolean} last @returns {Sentence} */
function sentenceAt({ alpha }, cost, last) {
  const { c, v } = cost;
  if (last) return [PAGE.speed_here, rounded({ c, v })];
  const K = bestLength(alpha ?? 0, cost);
  const speedup = speedupOf(alpha ?? 0, K, cost);
  const values = { K, ...rounded({ c, alpha, speedup }) };
  return [speedup > 1 ? PAGE.speed_step : PAGE.speed_none, values];
}

/** @param {Speed} run @returns {View} */
function independence({ alpha, K, c, v, tokens_per_round, predicted, speedup, stayed, whole, given }) {
  const chance = alpha ?? 0;
  const formula = speedupFor(chance, K, c || 0, v || 1);
  const expected = expectedTokens(chance, K);
  const places = el("div.sv-bars");
  const speeds = el("div.sv-bars");
  const values = {
    ...{ K, whole, ...rounded({ alpha: chance, expected, tokens: tokens_per_round }) },
    ...formatted({ formula, predicted, speedup }, times),
  };
  const speedups = [
    { word: PAGE.run_formula, tokens: expected, value: formula },
    { word: PAGE.run_given, tokens: tokens_per_round, value: predicted },
    { word: PAGE.run_measured, tokens: given, value: speedup },
  ];
  const over = (speedup ?? 0) > (predicted ?? 0) ? PAGE.run_faster : PAGE.run_4;
  const end = times(predicted) === times(speedup) ? PAGE.run_as_promised : over;
  const top = Math.max(...speedups.map(({ value }) => value ?? 0));

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
    sentences: [PAGE.run_1, PAGE.run_2, PAGE.run_3, end].map((text) => [text, values]),
    show: onceABeat((i) => {
      places.replaceChildren(...stayed.map((_, k) => place(i, k + 1)));
      const rows = speedups.map(({ word, tokens, value }, k) => {
        const visible = k < i;
        const text = visible ? fillText(PAGE.run_value, { speedup: times(value), tokens: number(tokens, 2) }) : "…";
        return row(word, visible ? [bar(k ? "target" : "outline", value ?? 0, top)] : [], [text]);
      });
      speeds.replaceChildren(...rows);
    }),
  };
}
