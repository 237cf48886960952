// Every run a dot: a picture each for α, tokens a round and the speedup; a row each for a setting, and for one seed
// again and again. A disturbed run has no dot among the speedups.

import { bands, linear } from "../../chart/axis.js";
import { chart } from "../../chart/chart.js";
import { area, curve, dots, rule } from "../../chart/marks.js";
import { number } from "../../shared/numbers.js";
import { fillText } from "../../shared/sentences.js";
import { drafterWord, shapeWord } from "../setting.js";

/** @import { Words } from "../types.js" */
/** @import { Mark, Plane } from "../../chart/types.js" */
/** @import { LuckRun, LuckResult, Measure, Spread } from "./types.js" */
/** @typedef {{ word: string, dots: LuckRun[], spread: Spread | null, series: string }} Row */

/** @type {Measure[]} */
export const MEASURES = ["speedup", "tokens_a_round", "alpha"];
const [ROW_PX, NAMED_ROW_PX] = [58, 76]; // whose name stands beside it; above its dots
const MARGIN = { left: 8, right: 8, top: 28, bottom: 34 };
const MARGINS_PX = MARGIN.top + MARGIN.bottom;
const GAP_PX = 28;
const LABEL_PX = 128;
const WIDE_PX = 720;

/** @param {LuckResult} result @param {Words} words @param {number} width @returns {SVGSVGElement} */
export function drawDots(result, words, width) {
  const beside = width >= WIDE_PX;
  const plotWidth = beside ? (width - LABEL_PX - GAP_PX * (MEASURES.length - 1)) / MEASURES.length : width;
  const planes = MEASURES.map((measure, i) => {
    const rows = rowsOf(result, measure, words);
    const plotHeight = rows.length * (beside ? ROW_PX : NAMED_ROW_PX) + MARGINS_PX;
    const place = beside ? { x: LABEL_PX + i * (plotWidth + GAP_PX), y: 0 } : { x: 0, y: i * plotHeight };
    const frame = { ...place, width: plotWidth, height: plotHeight };
    return { ...planeOf(rows, measure, words, !beside, !beside || !i), frame, margin: MARGIN };
  });
  return chart({ width, planes, says: result.sentence });
}

/** @param {LuckResult["settings"][number]} setting @param {Words} words */
export const settingWord = (setting, words) =>
  fillText(words.row_setting, {
    K: setting.K,
    drafter: drafterWord(setting.drafter, words),
    shape: shapeWord(setting, words),
  });

/** @param {LuckResult} result @param {Measure} measure @param {Words} words @returns {Row[]} */
function rowsOf({ settings, dots, spreads, same }, measure, words) {
  const timedRuns = measure === "speedup" ? dots.filter(({ disturbed }) => !disturbed) : dots;
  /** @type {Row[]} */
  const rows = settings.map((setting, i) => ({
    word: settingWord(setting, words),
    dots: timedRuns.filter((dot) => dot.setting === i && !dot.again),
    spread: spreads[i][measure],
    series: i ? "draft" : "target",
  }));
  const again = timedRuns.filter((dot) => dot.again || dot === dots[0]);
  const word = fillText(words.row_again, { seed: dots[0]?.seed ?? 0 });
  return [...rows, { word, dots: again, spread: measure === "speedup" ? same : null, series: "muted" }];
}

/**
 * @param {Row[]} rows @param {Measure} measure @param {Words} words @param {boolean} inside
 * @param {boolean} hasNames @returns {Omit<Plane, "frame">}
 */
function planeOf(rows, measure, words, inside, hasNames) {
  const values = rows.flatMap(({ dots }) => dots.map((dot) => dot[measure])).filter((value) => value !== null);
  const [low, high] = values.length ? [Math.min(...values), Math.max(...values)] : [0, 1];
  const x = linear(Math.min(low, measure === "speedup" ? 1 : low), Math.max(high, low + 0.01), 4);
  const y = bands(
    rows.map(({ word }) => (hasNames ? word : "")),
    { inside },
  );
  const one = measure === "speedup" ? [rule({ x: 1 })] : [];
  return { title: words[measure], x, y, marks: [...one, ...rows.flatMap((row, i) => marksOf(row, i, measure, words))] };
}

/**
 * The median, its interval, and the dots: those that would cover each other stand at different heights, the same ones
 * each time.
 * @param {Row} row @param {number} i @param {Measure} measure @param {Words} words @returns {Mark[]}
 */
function marksOf({ dots: all, spread, series }, i, measure, words) {
  const points = all.flatMap((dot, n) => {
    const value = dot[measure];
    if (value === null) return [];
    const title = fillText(words.dot, { seed: dot.seed, value: number(value, 2) });
    return [{ x: value, y: i - 0.16 + ((n * 0.618) % 1) * 0.48, title }];
  });
  const marks = [dots(points, { series, r: 4 })];
  if (!spread) return marks;
  const { low, median, high } = spread;
  const ends = [i - 0.26, i + 0.43].map((y) => ({ x: median, y }));
  const interval = area({ x0: low, x1: high, y0: i - 0.22, y1: i + 0.4 }, { series, kind: "interval", least: 2 });
  return [interval, curve(ends, { series, kind: "strong" }), ...marks];
}
